package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RescaleLifecycleTest {

    private long now = 1000;
    private final RescaleLifecycle lifecycle = new RescaleLifecycle(() -> now);

    @Test
    void aRescaleGoesThroughItsPhasesWithTimesAndReasons() {
        now = 1002;
        lifecycle.enter(Phase.PROVISIONING, null);
        now = 1010;
        lifecycle.enter(Phase.MIGRATING, "two subtasks run");
        now = 1100;
        assertThat(lifecycle.durationMs(2)).isEqualTo(90);
        assertThat(lifecycle.endedAt()).isEqualTo(-1);
        lifecycle.enter(Phase.RETIRING, null);
        lifecycle.enter(Phase.COMPLETED, null);
        now = 9999;
        assertThat(lifecycle.phase()).isEqualTo(Phase.COMPLETED);
        assertThat(lifecycle.acceptedAt()).isEqualTo(1000);
        assertThat(lifecycle.endedAt()).isEqualTo(1100);
        assertThat(lifecycle.durationMs(0)).isEqualTo(2);
        assertThat(lifecycle.durationMs(4)).isZero();
        assertThat(lifecycle.history().get(2))
                .isEqualTo(new RescaleLifecycle.Entered(Phase.MIGRATING, 1010, "two subtasks run"));
    }

    @Test
    void anAbortIsPossibleUntilMigrationIsOver() {
        assertThat(Phase.values())
                .filteredOn(Phase::isAbortable)
                .containsExactly(Phase.PLANNED, Phase.PROVISIONING, Phase.MIGRATING);
        lifecycle.enter(Phase.ABORTING, "asked for");
        assertThatThrownBy(() -> lifecycle.enter(Phase.COMPLETED, null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("COMPLETED does not follow ABORTING");
        lifecycle.enter(Phase.ABORTED, null);
        assertThat(lifecycle.phase().isTerminal()).isTrue();
    }

    @Test
    void whateverIsNotOverMayFail() {
        assertThat(Phase.values())
                .filteredOn(p -> !p.isTerminal())
                .allMatch(p -> p.next().contains(Phase.FAILED));
        assertThat(Phase.values())
                .filteredOn(Phase::isTerminal)
                .containsExactly(Phase.COMPLETED, Phase.ABORTED, Phase.FAILED);
    }

    @Test
    void aClockThatIsSetBackGivesNoNegativeDuration() {
        now = 500;
        lifecycle.enter(Phase.PROVISIONING, null);
        assertThat(lifecycle.durationMs(0)).isZero();
        assertThat(lifecycle.durationMs(1)).isZero();
    }
}
