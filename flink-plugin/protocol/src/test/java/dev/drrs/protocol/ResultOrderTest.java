package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultOrderTest {

    private final List<String> log = new ArrayList<>();
    private final ResultOrder order =
            new ResultOrder(
                    new ResultOrder.Effects() {
                        @Override
                        public void hold(int channel) {
                            log.add("hold " + channel);
                        }

                        @Override
                        public void resume(int channel) {
                            log.add("resume " + channel);
                        }

                        @Override
                        public void passed(int subscale) {
                            log.add("passed " + subscale);
                        }
                    });

    @Test
    void aChannelOnWhichResultsBeginWaitsUntilThoseOfTheOldOwnerHaveEnded() {
        order.onBegin(3, 7);
        assertThat(log).containsExactly("hold 3");
        order.onEnd(7);
        assertThat(log).containsExactly("hold 3", "passed 7", "resume 3");
    }

    @Test
    void nothingWaitsIfTheyHaveEndedBefore() {
        order.onEnd(7);
        order.onBegin(3, 7);
        assertThat(log).containsExactly("passed 7");
    }

    @Test
    void subscalesDoNotWaitForEachOther() {
        order.onBegin(1, 7);
        order.onBegin(2, 8);
        order.onEnd(8);
        assertThat(log).containsExactly("hold 1", "hold 2", "passed 8", "resume 2");
    }
}
