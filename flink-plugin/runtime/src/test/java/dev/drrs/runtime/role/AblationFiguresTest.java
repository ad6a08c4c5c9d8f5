package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.DrrsStrategy;
import dev.drrs.runtime.message.WaitTimes;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each mechanism of DRRS that is left out is seen in the figure that it is about. */
class AblationFiguresTest {

    /** Records that wait in each channel of an old owner. */
    private static final int BACKLOG = 100;

    private static final long STEP = 1_000_000;

    private final PlayedRescale whole = new PlayedRescale(Map.of(), BACKLOG).run();

    @Test
    void withoutDecouplingKeyGroupsLeaveWhenTheLastSignalHasComeThroughTheBacklog() {
        PlayedRescale coupled = without(DrrsStrategy.DECOUPLING);

        assertThat(whole.times(SubscaleTimes::alignment).longestNanos()).isZero();
        assertThat(coupled.times(SubscaleTimes::alignment))
                .isEqualTo(coupled.times(SubscaleTimes::propagation));
        // The first ones find all of the backlog in front of them, of two channels in turn.
        assertThat(coupled.times(SubscaleTimes::alignment).longestNanos())
                .isGreaterThanOrEqualTo(2 * BACKLOG * STEP);
    }

    @Test
    void withoutRecordSchedulingASubtaskStandsWhileARecordWaits() {
        PlayedRescale inOrder = without(DrrsStrategy.RECORD_SCHEDULING);

        assertThat(whole.suspension()).isZero();
        assertThat(inOrder.suspension()).isPositive();
    }

    @Test
    void withoutSubscaleDivisionKeyGroupsWaitForAllThatMoveWithThem() {
        PlayedRescale undivided = without(DrrsStrategy.SUBSCALE_DIVISION);
        WaitTimes divided = whole.times(SubscaleTimes::dependency);
        WaitTimes together = undivided.times(SubscaleTimes::dependency);

        assertThat(together.count()).isEqualTo(divided.count()).isEqualTo(32);
        assertThat(together.totalNanos()).isGreaterThan(2 * divided.totalNanos());
        // One key group a step: the last of a pair of owners waits for all the others.
        assertThat(together.longestNanos()).isGreaterThanOrEqualTo(16 * STEP);
    }

    private static PlayedRescale without(String mechanism) {
        return new PlayedRescale(Map.of(mechanism, "false"), BACKLOG).run();
    }
}
