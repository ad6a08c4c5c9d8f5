package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.job.RetiredFigures.Counted;
import dev.drrs.runtime.job.RetiredFigures.LastRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.messages.webmonitor.JobDetails.CurrentAttempts;
import org.apache.flink.runtime.rest.messages.JobVertexBackPressureInfo.SubtaskBackPressureInfo;
import org.apache.flink.runtime.rest.messages.JobVertexBackPressureInfo.VertexBackPressureLevel;
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
        assertThat(attempts.get(2).getRepresentativeAttempt()).as("none").isNegative();
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

    @Test
    void theBackPressureOfAVertexIsThatOfItsActiveSubtasks() {
        KeptMetrics.add(attempts, COUNTED, 1_000);
        Map<Integer, Integer> representatives = new HashMap<>(Map.of(0, 3));
        attempts.forEach(
                (subtask, of) -> representatives.put(subtask, of.getRepresentativeAttempt()));
        List<SubtaskBackPressureInfo> all = List.of(subtask(0), subtask(2), subtask(5));

        assertThat(KeptMetrics.withoutRetired(all, representatives))
                .extracting(SubtaskBackPressureInfo::getSubtask)
                .as("one that the job does not name yet is shown, as Flink does")
                .containsExactly(0, 5);
        assertThat(KeptMetrics.withoutRetired(List.of(subtask(2)), representatives)).hasSize(1);
        assertThat(KeptMetrics.withoutRetired(all, null)).isSameAs(all);
        assertThat(KeptMetrics.withoutRetired(all, Map.of(2, 4))).isSameAs(all);
    }

    private static SubtaskBackPressureInfo subtask(int index) {
        return new SubtaskBackPressureInfo(
                index, null, VertexBackPressureLevel.OK, 0.0, 1.0, 0.0, null);
    }
}
