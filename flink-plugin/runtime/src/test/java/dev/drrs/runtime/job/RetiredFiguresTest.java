package dev.drrs.runtime.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.accumulators.DoubleCounter;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.util.OptionalFailure;
import org.junit.jupiter.api.Test;

class RetiredFiguresTest {

    private final Map<String, OptionalFailure<Accumulator<?, ?>>> kept = new HashMap<>();

    @Test
    void whatSubtasksHaveCountedIsAddedUpAndTheirOwnAccumulatorsStayAsTheyAre() {
        IntCounter first = new IntCounter(3);
        merge(first);
        merge(new IntCounter(4));

        assertThat(kept.get("seen").getUnchecked().getLocalValue()).isEqualTo(7);
        assertThat(first.getLocalValue()).isEqualTo(3);
    }

    @Test
    void twoTypesUnderOneNameAreAFailureInThePlaceOfTheResultFromThenOn() {
        merge(new IntCounter(3));
        merge(new DoubleCounter(1));
        merge(new IntCounter(4));

        assertThat(kept.get("seen").isFailure()).isTrue();
        assertThatThrownBy(() -> kept.get("seen").get())
                .hasMessageContaining("two different types")
                .hasMessageContaining("IntCounter")
                .hasMessageContaining("DoubleCounter");
    }

    private void merge(Accumulator<?, ?> own) {
        RetiredFigures.merge(kept, "seen", OptionalFailure.of(own));
    }
}
