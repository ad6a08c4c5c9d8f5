package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ValveTest {

    private static final SetAsideLimit LIMIT = new SetAsideLimit(10, 1000);

    @Test
    void withoutASubscaleAGateGivesWhatFlinkGives() {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            int channels = 1 + random.nextInt(4);
            FlinkRules flink = new FlinkRules(channels);
            RecordingEffects effects = new RecordingEffects();
            SubtaskGate<String> gate =
                    SimPolicies.gate(0, new Valve(channels), SimPolicies.of(LIMIT, 1), effects);
            for (int step = 0; step < 60; step++) {
                int c = random.nextInt(channels);
                if (random.nextInt(3) == 0) {
                    boolean idle = random.nextBoolean();
                    flink.status(c, idle);
                    gate.onStatus(c, idle);
                } else {
                    long ts =
                            step / 4 + random.nextInt(6); // near each other, so that they often tie
                    flink.watermark(c, ts);
                    gate.onWatermark(c, ts);
                }
                assertThat(effects.log).as("seed %d step %d", seed, step).isEqualTo(flink.output);
            }
        }
    }

    @Test
    void anAbsentChannelHoldsNothing() {
        Valve valve = new Valve(3);
        valve.remove(2);
        valve.watermark(0, 5);
        valve.watermark(1, 7);
        assertThat(valve.clock()).isEqualTo(5);
        assertThat(valve.present(2)).isFalse();
        assertThatThrownBy(() -> valve.watermark(2, 9)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aChannelThatIsAddedHoldsFromItsWatermarkOn() {
        Valve valve = new Valve(2);
        valve.remove(1);
        valve.watermark(0, 5);
        valve.add(1, 5);
        valve.watermark(0, 9);
        assertThat(valve.clock()).isEqualTo(5);
        valve.watermark(1, 8);
        assertThat(valve.clock()).isEqualTo(8);
        assertThatThrownBy(() -> valve.add(1, 9)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aChannelThatLeavesHoldsNoLonger() {
        Valve valve = new Valve(2);
        valve.watermark(0, 5);
        valve.remove(1);
        assertThat(valve.clock()).isEqualTo(5);
    }

    @Test
    void aChannelToldToHoldStopsTheClockUntilItHasCaughtUp() {
        Valve valve = new Valve(2);
        valve.watermark(1, 3);
        valve.status(1, true);
        valve.watermark(0, 10);
        valve.status(1, false);
        assertThat(valve.holds(1)).isFalse();
        valve.hold(1);
        valve.watermark(0, 20);
        assertThat(valve.clock()).isEqualTo(10);
        valve.watermark(1, 15);
        assertThat(valve.clock()).isEqualTo(15);
    }

    @Test
    void anAlignedChannelHoldsThePresentClock() {
        Valve valve = new Valve(2);
        valve.status(1, true);
        valve.watermark(0, 10);
        valve.status(1, false);
        valve.align(1);
        valve.watermark(0, 20);
        assertThat(valve.clock()).isEqualTo(10);
        valve.watermark(1, 12);
        assertThat(valve.clock()).isEqualTo(12);
    }

    @Test
    void anIdleChannelCannotBeToldToHold() {
        Valve valve = new Valve(1);
        valve.status(0, true);
        assertThatThrownBy(() -> valve.hold(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCopyAndItsNumbersGoOnAlike() {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            Valve valve = new Valve(3);
            if (random.nextBoolean()) {
                valve.remove(2);
            }
            play(valve, random, 20);
            Valve copy = valve.copy();
            Valve sent = Valve.fromLongs(valve.toLongs());
            assertThat(sent.toLongs()).isEqualTo(valve.toLongs());
            long next = random.nextLong();
            play(valve, new Random(next), 20);
            play(copy, new Random(next), 20);
            play(sent, new Random(next), 20);
            assertThat(copy.toLongs()).isEqualTo(valve.toLongs());
            assertThat(sent.toLongs()).isEqualTo(valve.toLongs());
        }
    }

    @Test
    void otherNumbersAreNoValve() {
        assertThatThrownBy(() -> Valve.fromLongs(new long[] {0, 2, 1}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Valve.fromLongs(new long[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void play(Valve valve, Random random, int steps) {
        for (int i = 0; i < steps; i++) {
            int c = random.nextInt(2);
            switch (random.nextInt(4)) {
                case 0 -> valve.status(c, random.nextBoolean());
                case 1 -> {
                    if (!valve.idle(c)) {
                        valve.hold(c);
                    }
                }
                default -> valve.watermark(c, random.nextInt(40));
            }
        }
    }
}
