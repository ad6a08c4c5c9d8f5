package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CombinedValveTest {

    private static final SetAsideLimit LIMIT = new SetAsideLimit(10, 1000);

    @Test
    void itsClockAndStatusAreThoseOfAFlinkOperatorBehindFlinkValves() {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            int[] channels = channels(random);
            List<FlinkRules> valves = flinkValves(channels);
            FlinkOperator operator = new FlinkOperator(channels.length, ignoring());
            CombinedValve combined = new CombinedValve(channels);
            for (int step = 0; step < 60; step++) {
                int input = random.nextInt(channels.length);
                int channel = random.nextInt(channels[input]);
                int flat = flat(channels, input, channel);
                if (random.nextInt(3) == 0) {
                    boolean idle = random.nextBoolean();
                    valves.get(input).status(channel, idle);
                    combined.status(flat, idle);
                } else {
                    long ts = step / 4 + random.nextInt(6);
                    valves.get(input).watermark(channel, ts);
                    combined.watermark(flat, ts);
                }
                feed(valves, operator);
                assertThat(combined.clock())
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(operator.clock());
                assertThat(combined.allIdle()).isEqualTo(operator.allIdle());
            }
        }
    }

    @Test
    void withoutASubscaleAGateTellsTheOperatorWhatFlinksValvesTellIt() {
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            int[] channels = channels(random);
            List<FlinkRules> valves = flinkValves(channels);
            RecordingEffects effects = new RecordingEffects();
            SubtaskGate<String> gate =
                    SimPolicies.gate(
                            0, new CombinedValve(channels), SimPolicies.of(LIMIT, 1), effects);
            for (int step = 0; step < 60; step++) {
                int input = random.nextInt(channels.length);
                int channel = random.nextInt(channels[input]);
                int flat = flat(channels, input, channel);
                if (random.nextInt(3) == 0) {
                    boolean idle = random.nextBoolean();
                    valves.get(input).status(channel, idle);
                    gate.onStatus(flat, idle);
                } else {
                    long ts = step / 4 + random.nextInt(6);
                    valves.get(input).watermark(channel, ts);
                    gate.onWatermark(flat, ts);
                }
                List<String> expected = new ArrayList<>();
                for (String told : valves.get(input).output) {
                    expected.add(input == 0 ? told : "input " + input + " " + told);
                }
                valves.get(input).output.clear();
                assertThat(effects.take()).as("seed %d step %d", seed, step).isEqualTo(expected);
            }
        }
    }

    @Test
    void anIdleInputHoldsNothing() {
        CombinedValve valve = new CombinedValve(1, 2);
        valve.watermark(0, 20);
        assertThat(valve.clock()).isEqualTo(Long.MIN_VALUE);
        valve.status(1, true);
        assertThat(valve.clock()).isEqualTo(Long.MIN_VALUE);
        valve.status(2, true);
        assertThat(valve.clock()).isEqualTo(20);
    }

    @Test
    void anInputThatReturnsBehindTheClockStopsIt() {
        CombinedValve valve = new CombinedValve(1, 1);
        valve.watermark(1, 5);
        valve.status(1, true);
        valve.watermark(0, 20);
        valve.status(1, false);
        valve.watermark(0, 30);
        assertThat(valve.clock()).isEqualTo(20);
        valve.watermark(1, 25);
        assertThat(valve.clock()).isEqualTo(25);
    }

    @Test
    void clocksAgreeOnlyIfThoseOfAllInputsDo() {
        CombinedValve one = new CombinedValve(1, 1);
        CombinedValve other = new CombinedValve(1, 1);
        one.watermark(0, 10);
        other.watermark(0, 10);
        one.watermark(1, 20);
        other.watermark(1, 30);
        assertThat(one.clock()).isEqualTo(other.clock());
        assertThat(one.agreesWith(other)).isFalse();
        one.watermark(1, 30);
        assertThat(one.agreesWith(other)).isTrue();
    }

    @Test
    void aChannelThatIsOpenedHoldsThePresentClockOfItsInput() {
        RecordingEffects effects = new RecordingEffects();
        CombinedValve main = new CombinedValve(1, 2);
        main.remove(2);
        SubtaskGate<String> gate = SimPolicies.gate(0, main, SimPolicies.of(LIMIT, 1), effects);
        gate.onWatermark(0, 10);
        gate.onWatermark(1, 15);
        gate.onChannelOpened(2);
        assertThat(main.watermark(2)).isEqualTo(15);
        assertThat(gate.clock(1)).isEqualTo(15);
        assertThat(gate.clock()).isEqualTo(10);
    }

    @Test
    void aCopyAndItsNumbersGoOnAlike() {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            CombinedValve valve = new CombinedValve(1 + random.nextInt(3), 2);
            play(valve, random);
            EventClock copy = valve.copy();
            EventClock sent = EventClock.fromLongs(valve.toLongs());
            assertThat(sent.toLongs()).isEqualTo(valve.toLongs());
            long next = random.nextLong();
            play(valve, new Random(next));
            play(copy, new Random(next));
            play(sent, new Random(next));
            assertThat(copy.toLongs()).isEqualTo(valve.toLongs());
            assertThat(sent.toLongs()).isEqualTo(valve.toLongs());
        }
    }

    @Test
    void otherNumbersAreNoClock() {
        long[] whole = new CombinedValve(1, 2).toLongs();
        for (int length = 0; length < whole.length; length++) {
            long[] part = java.util.Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> EventClock.fromLongs(part))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(
                        () ->
                                EventClock.fromLongs(
                                        java.util.Arrays.copyOf(whole, whole.length + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CombinedValve(3)).isInstanceOf(IllegalArgumentException.class);
    }

    private static int[] channels(Random random) {
        int[] channels = new int[2 + random.nextInt(2)];
        for (int input = 0; input < channels.length; input++) {
            channels[input] = 1 + random.nextInt(3);
        }
        return channels;
    }

    private static int flat(int[] channels, int input, int channel) {
        int flat = channel;
        for (int i = 0; i < input; i++) {
            flat += channels[i];
        }
        return flat;
    }

    private static List<FlinkRules> flinkValves(int[] channels) {
        List<FlinkRules> valves = new ArrayList<>();
        for (int count : channels) {
            valves.add(new FlinkRules(count));
        }
        return valves;
    }

    private static void feed(List<FlinkRules> valves, FlinkOperator operator) {
        for (int input = 0; input < valves.size(); input++) {
            for (String told : valves.get(input).output) {
                switch (told) {
                    case "idle" -> operator.status(input, true);
                    case "active" -> operator.status(input, false);
                    default -> operator.watermark(input, Long.parseLong(told.substring(6)));
                }
            }
            valves.get(input).output.clear();
        }
    }

    private static FlinkOperator.Output ignoring() {
        return new FlinkOperator.Output() {
            @Override
            public void watermark(long timestamp) {}

            @Override
            public void status(boolean idle) {}
        };
    }

    private static void play(EventClock clock, Random random) {
        for (int i = 0; i < 20; i++) {
            int c = random.nextInt(clock.channels());
            switch (random.nextInt(4)) {
                case 0 -> clock.status(c, random.nextBoolean());
                case 1 -> {
                    if (!clock.idle(c)) {
                        clock.hold(c);
                    }
                }
                default -> clock.watermark(c, random.nextInt(40));
            }
        }
    }
}
