package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.jobmanager.RetiredFigures.Counted;
import dev.drrs.runtime.jobmanager.RetiredFigures.LastRun;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.messages.webmonitor.JobDetails.CurrentAttempts;
import org.junit.jupiter.api.Test;

class KeptMetricsTest {

    private static final Counted COUNTED =
            new Counted(
                    new IOMetrics(0, 0, 0, 0, 0, 0, 0),
                    0,
                    Map.of(1, new LastRun(4, 900), 2, new LastRun(7, 1_000)));

    private final Map<Integer, CurrentAttempts> attempts = new HashMap<>();

    @Test
    void theLastAttemptOfASubtaskThatHasJustRetiredIsNamedAndThatOfAnEarlierOneIsNot() {
        KeptMetrics.add(attempts, COUNTED, 1_000);

        assertThat(attempts).containsOnlyKeys(2);
        assertThat(attempts.get(2).getCurrentAttempts()).containsExactly(7);
        assertThat(attempts.get(2).getRepresentativeAttempt()).isEqualTo(7);
        assertThat(attempts.get(2).isTerminalState()).isTrue();
    }

    @Test
    void aSubtaskThatHasComeBackIsShownWithItsPresentAttempt() {
        attempts.put(2, new CurrentAttempts(8, Set.of(8), false));

        KeptMetrics.add(attempts, COUNTED, 1_000);

        assertThat(attempts.get(2).getCurrentAttempts()).containsExactlyInAnyOrder(7, 8);
        assertThat(attempts.get(2).getRepresentativeAttempt()).isEqualTo(8);
        assertThat(attempts.get(2).isTerminalState()).isFalse();
    }
}
