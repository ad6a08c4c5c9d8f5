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
    void theEndOfTheLastRescaleReleasesIt() {
        hold.begin();
        hold.begin();
        hold.hold();
        now += 30;
        assertThat(hold.end()).isFalse();
        assertThat(hold.isHolding()).isTrue();
        now += 30;
        assertThat(hold.end()).isTrue();
        assertThat(hold.hold()).isZero();
        assertThat(hold.total()).isEqualTo(60);
    }

    @Test
    void aRescaleThatBeginsMeanwhileDoesNotHoldItTwice() {
        hold.begin();
        hold.hold();
        now += BOUND;
        assertThat(hold.hold()).isZero();
        assertThat(hold.end()).isFalse();
        hold.begin();
        assertThat(hold.hold()).isZero();
    }

    @Test
    void nothingIsReleasedThatWasNotHeld() {
        hold.begin();
        assertThat(hold.end()).isFalse();
        hold.begin();
        hold.hold();
        hold.gone();
        assertThat(hold.end()).isFalse();
        assertThatThrownBy(hold::end).isInstanceOf(IllegalStateException.class);
    }
}
