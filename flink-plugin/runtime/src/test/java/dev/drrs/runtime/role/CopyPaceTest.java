package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CopyPaceTest {

    private static final long SECOND = 1_000_000_000L;

    private final CopyPace pace = new CopyPace();

    @Test
    void withoutARateNothingWaits() {
        pace.sent(Integer.MAX_VALUE, 5);
        assertThat(pace.nanosLeft(5)).isZero();
    }

    @Test
    void eachPieceTakesTheTimeThatItsLengthTakesAtTheRate() {
        pace.rate(1_000);
        assertThat(pace.nanosLeft(-7)).as("the first one goes at once").isZero();
        pace.sent(500, -7);
        assertThat(pace.nanosLeft(-7)).isEqualTo(SECOND / 2);
        assertThat(pace.nanosLeft(-7 + SECOND / 2)).isNotPositive();
        pace.sent(2_000, SECOND);
        assertThat(pace.nanosLeft(2 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void timeThatNobodyUsedIsNotMadeUpFor() {
        pace.rate(1_000);
        pace.sent(1_000, 0);
        pace.sent(1_000, 60 * SECOND);
        assertThat(pace.nanosLeft(60 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void aRateThatIsTakenBackHoldsNothingUp() {
        pace.rate(1_000);
        pace.sent(60_000, 0);
        assertThat(pace.nanosLeft(0)).isEqualTo(60 * SECOND);
        pace.rate(0);
        assertThat(pace.nanosLeft(0)).isZero();
    }
}
