package dev.drrs.runtime.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.message.WaitTimes;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private long now;
    private final Turns turns = new Turns(() -> now);

    @Test
    void aTurnIsWaitedForFromTheFirstTimeThatASubscaleIsReady() {
        at(10).ready(1);
        at(12).started(1);
        at(13).ready(2);
        at(20).ready(3);
        at(43).started(2);
        at(44).started(3);

        assertThat(turns.times()).isEqualTo(new WaitTimes(3, 2 + 30 + 24, 30));
    }

    @Test
    void oneThatNeverStartsHasNoTurn() {
        at(10).ready(1);

        assertThat(turns.times()).isEqualTo(WaitTimes.NONE);
    }

    @Test
    void oneThatIsDroppedIsForgotten() {
        at(10).ready(1);
        at(12).dropped(1);
        at(20).ready(1);
        at(25).started(1);

        assertThat(turns.times()).isEqualTo(new WaitTimes(1, 5, 5));
    }

    private Turns at(long nanos) {
        now = nanos;
        return turns;
    }
}
