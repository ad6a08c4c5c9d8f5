package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointHoldTest {

    private static final long BOUND = 100;

    private long now = -50; // nanoTime may be below zero
    private final CheckpointHold hold = new CheckpointHold(() -> now);

    @BeforeEach
    void bounded() {
        hold.bound(BOUND);
    }

    @Test
    void nothingIsHeldWhileNoKeyGroupsMove() {
        assertThat(hold.hold()).isZero();
        hold.begin();
        hold.end();
        assertThat(hold.hold()).isZero();
        assertThat(hold.isHolding()).isFalse();
    }

    @Test
    void aBoundOfZeroHoldsNothing() {
        hold.bound(0);
        hold.begin();
        assertThat(hold.hold()).isZero();
        assertThat(hold.isHolding()).isFalse();
    }

    @Test
    void aCheckpointIsHeldUpToTheBoundFromTheMomentInWhichItIsDue() {
        hold.begin();
        now += 1_000;
        assertThat(hold.hold()).isEqualTo(BOUND);
        now += 60;
        assertThat(hold.hold()).isEqualTo(BOUND - 60);
        now += 40;
        assertThat(hold.hold()).isZero();
        assertThat(hold.isHolding()).isFalse();
        now += 500; // it waits for sections
        assertThat(hold.hold()).isZero();
        assertThat(hold.total()).isEqualTo(BOUND);
    }

    @Test
    void theNextCheckpointIsHeldAnew() {
        hold.begin();
        hold.hold();
        now += BOUND;
        hold.hold();
        hold.gone();
        assertThat(hold.hold()).isEqualTo(BOUND);
        now += 10;
        assertThat(hold.total()).isEqualTo(BOUND + 10);
    }

    @Test
    void behindTheLastRescaleItIsHeldForAsLongAsKeyGroupsMoved() {
        hold.begin();
        now += 10;
        hold.begin();
        now += 10;
        assertThat(hold.hold()).isEqualTo(BOUND);
        hold.end();
        now += 5;
        assertThat(hold.hold()).as("of the other rescale").isEqualTo(BOUND - 5);
        hold.end();
        assertThat(hold.hold()).isEqualTo(25);
        assertThat(hold.untilCalm()).isEqualTo(25);
        now += 24;
        assertThat(hold.hold()).isEqualTo(1);
        now += 1;
        assertThat(hold.hold()).isZero();
        assertThat(hold.untilCalm()).isZero();
        assertThat(hold.total()).isEqualTo(30);
        hold.gone();
        assertThat(hold.hold()).isZero();
    }

    @Test
    void thatIsNoLongerThanItsBoundEither() {
        hold.begin();
        now += 10 * BOUND;
        hold.hold();
        now += 30;
        hold.end();
        assertThat(hold.hold()).isEqualTo(BOUND - 30);
        hold.gone();
        assertThat(hold.hold()).as("the next one").isEqualTo(BOUND);
        hold.bound(0);
        hold.begin();
        now += BOUND;
        hold.end();
        assertThat(hold.untilCalm()).isZero();
        hold.bound(2 * CheckpointHold.LONGEST_REST);
        hold.begin();
        now += CheckpointHold.LONGEST_REST + 1;
        hold.end();
        assertThat(hold.untilCalm()).isEqualTo(CheckpointHold.LONGEST_REST);
    }

    @Test
    void aShortRescaleBehindALongOneDoesNotShortenThat() {
        hold.begin();
        now += 80;
        hold.end();
        now += 10;
        hold.begin();
        now += 5;
        hold.end();
        assertThat(hold.hold()).isEqualTo(80 - 10 - 5);
    }

    @Test
    void whatIsOwedWaitsAsOneThatIsDueSinceThenAndIsNotHeld() {
        assertThat(hold.left(now)).isZero();
        hold.begin();
        long since = now;
        now += 30;
        assertThat(hold.left(since)).isEqualTo(BOUND - 30);
        hold.end();
        assertThat(hold.left(since)).isEqualTo(30);
        hold.begin();
        now += BOUND;
        assertThat(hold.left(since)).isZero();
        assertThat(hold.total()).isZero();
    }

    @Test
    void oneThatIsReleasedMayGoAtOnce() {
        hold.begin();
        hold.release();
        assertThat(hold.hold()).as("none was held").isEqualTo(BOUND);
        hold.release();
        assertThat(hold.hold()).isZero();
        hold.gone();
        assertThat(hold.hold()).as("the next one").isEqualTo(BOUND);
    }

    @Test
    void whatIsDueOnlyThenIsHeldAsWellUnlessWhatPiledUpIsGone() {
        hold.begin();
        now += 50;
        hold.end();
        now += 20;
        assertThat(hold.hold()).isEqualTo(30);
        hold.gone();
        hold.calm();
        assertThat(hold.hold()).isZero();
    }

    @Test
    void aRescaleThatBeginsMeanwhileDoesNotHoldItTwice() {
        hold.begin();
        hold.hold();
        now += BOUND;
        assertThat(hold.hold()).isZero();
        hold.end();
        hold.begin();
        assertThat(hold.hold()).isZero();
    }

    @Test
    void moreEndsThanBeginningsAreRefused() {
        hold.begin();
        hold.end();
        assertThatThrownBy(hold::end).isInstanceOf(IllegalStateException.class);
    }
}
