package dev.drrs.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.DrrsOptions;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

/** Operators that run are looked at themselves: a factory may have said something else. */
class ChainCheckTest {

    private static final class Pass extends KeyedProcessFunction<Long, Long, Long> {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }

    private static final class Derived extends KeyedProcessOperator<Long, Long, Long> {
        Derived() {
            super(new Pass());
        }
    }

    private Optional<String> fault(KeyedProcessOperator<Long, Long, Long> runs, String trusted)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(DrrsOptions.TRUSTED, trusted);
        ChainCheck check = new ChainCheck(configuration, getClass().getClassLoader());
        try (KeyedOneInputStreamOperatorTestHarness<Long, Long, Long> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(runs, n -> n, Types.LONG)) {
            harness.getStreamConfig()
                    .setStreamOperatorFactory(
                            SimpleOperatorFactory.of(new KeyedProcessOperator<>(new Pass())));
            harness.getStreamConfig().serializeAllConfigs();
            harness.open();
            return check.ofRunning(runs, List.of(runs), true);
        }
    }

    @Test
    void whatRunsIsWhatTheFactorySaid() throws Exception {
        assertThat(fault(new KeyedProcessOperator<>(new Pass()), "")).isEmpty();
    }

    @Test
    void whatRunsIsSomethingElse() throws Exception {
        assertThat(fault(new Derived(), ""))
                .hasValueSatisfying(
                        fault -> assertThat(fault).contains(Derived.class.getName(), "not known"));
        assertThat(fault(new Derived(), Derived.class.getName())).isEmpty();
    }
}
