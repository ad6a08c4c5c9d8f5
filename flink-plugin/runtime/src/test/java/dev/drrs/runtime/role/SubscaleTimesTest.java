package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.message.WaitTimes;
import org.junit.jupiter.api.Test;

class SubscaleTimesTest {

    private long now;
    private final SubscaleTimes times = new SubscaleTimes(() -> now);

    @Test
    void aSubscaleThatLeavesAtOnceWaitsForNoSignalHoweverLongTheLastOneTakes() {
        at(10).started(1);
        at(12).leaves(1);
        at(15).confirmed(1);
        at(60).confirmed(1);

        assertThat(times.alignment()).isEqualTo(new WaitTimes(1, 2, 2));
        assertThat(times.propagation()).isEqualTo(new WaitTimes(1, 50, 50));
    }

    @Test
    void theFirstSignalCountsWhicheverItIs() {
        at(10).confirmed(1);
        at(30).started(1); // the message of the coordinator was slower
        at(40).confirmed(1);
        at(40).leaves(1);
        at(50).started(2);
        at(51).leaves(2);

        assertThat(times.alignment()).isEqualTo(new WaitTimes(2, 31, 30));
        assertThat(times.propagation()).isEqualTo(new WaitTimes(2, 30, 30));
    }

    @Test
    void oneThatHasNotLeftIsNotCounted() {
        at(10).started(1);
        at(20).confirmed(1);

        assertThat(times.alignment()).isEqualTo(WaitTimes.NONE);
        assertThat(times.propagation()).isEqualTo(WaitTimes.NONE);
    }

    @Test
    void eachKeyGroupWaitsFromWhenItsSubscaleHadLeft() {
        at(100).detached(7);
        at(103).installed(7);
        at(110).detached(8);
        at(111).installed(7);
        at(112).installed(8);

        assertThat(times.dependency()).isEqualTo(new WaitTimes(3, 3 + 11 + 2, 11));
    }

    @Test
    void theNextRescaleBeginsWithNothing() {
        at(10).started(1);
        times.leaves(1);
        times.detached(2);
        times.installed(2);
        times.reset();

        assertThat(times.alignment()).isEqualTo(WaitTimes.NONE);
        assertThat(times.dependency()).isEqualTo(WaitTimes.NONE);
    }

    private SubscaleTimes at(long nanos) {
        now = nanos;
        return times;
    }
}
