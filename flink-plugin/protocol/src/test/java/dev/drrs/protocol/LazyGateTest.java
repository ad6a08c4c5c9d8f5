package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a new owner does whose state comes when it is needed only. The last letter of a record says
 * which of two bins its key is in, {@code b} the first, {@code a} the second.
 */
class LazyGateTest {

    private static final Subscale S = new Subscale(7, 0, 1, new int[] {3, 4});
    private static final long NEVER = Long.MAX_VALUE;

    private static final Map<String, String> ON_ACCESS =
            Map.of(LazyStrategy.BINS, "2", LazyStrategy.BACKGROUND, "false");

    private final RecordingEffects effects = new RecordingEffects();
    private final long[] timers = new long[8];

    private final SubtaskGate<String> gate =
            SimPolicies.gate(1, new Valve(2), new LazyStrategy().policies(ON_ACCESS), effects);

    @BeforeEach
    void registered() {
        Arrays.fill(timers, NEVER);
        gate.register(S);
        Valve old = new Valve(2);
        time(old, 10);
        gate.onPeer(new PeerElement.ValveCopy<>(7, old.toLongs()));
    }

    private static void time(Valve valve, long clock) {
        valve.watermark(0, clock);
        valve.watermark(1, clock);
    }

    /** All of it has left, at the clock 10, and both channels bring it here. */
    private void detached() {
        gate.onPeer(new PeerElement.Detached<>(7, timers, new int[0]));
        for (int channel = 0; channel < 2; channel++) {
            gate.onPeer(new PeerElement.Confirm<>(7, channel));
            gate.onSwitch(channel, 7);
        }
    }

    private void watermark(long timestamp) {
        gate.onWatermark(0, timestamp);
        gate.onWatermark(1, timestamp);
    }

    @Test
    void nothingIsAskedForUntilARecordNeedsItAndThenItsBinOnly() {
        detached();
        assertThat(effects.take()).containsExactly("Promised 7");
        gate.onRecord(0, 4, "a", 1);
        gate.onRecord(0, 4, "b", 1); // behind it, and in another bin
        gate.onRecord(1, 4, "ca", 1);
        assertThat(effects.take()).containsExactly("pull 4/1", "pull 4/0");
        gate.installed(7, 4, new Bin(1, 2));
        assertThat(effects.take())
                .containsExactly(
                        "results begin 7", "process a at 10 in 7", "process ca at 10 in 7");
    }

    @Test
    void aReRoutedRecordWaitsForItsBinOnly() {
        gate.onPeer(new PeerElement.Detached<>(7, timers, new int[0]));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 3, "b"));
        assertThat(effects.take()).containsExactly("Promised 7", "pull 3/0");
        gate.installed(7, 3, new Bin(0, 2));
        assertThat(effects.take()).contains("process b at 10 in 7");
        assertThat(gate.missingBins(7, 3)).isEqualTo(1);
    }

    @Test
    void eventTimeGoesOnUpToTheFirstTimerThatIsNotHereAndThatAsksForItsBin() {
        timers[2] = 30; // of bin 1 of key group 3
        detached();
        watermark(20);
        assertThat(effects.take()).contains("emit 20").doesNotContain("pull 3/1");
        watermark(50);
        assertThat(effects.take()).contains("emit 29", "pull 3/1");
        gate.installed(7, 3, new Bin(1, 2));
        assertThat(effects.take())
                .containsSubsequence("fire 3/1 of 7 to 50", "emit 50")
                .doesNotContain("pull 3/0");
    }

    @Test
    void aTimerAtTheClockWaitsForItToGoOnAsItWouldHave() {
        timers[0] = 10;
        detached();
        assertThat(effects.take()).doesNotContain("pull 3/0");
        watermark(11);
        assertThat(effects.take()).contains("pull 3/0").doesNotContain("emit 11");
    }

    @Test
    void timersOfProcessingTimeAskForTheirBinWhenTheyAreDue() {
        timers[5] = 1000;
        timers[7] = 2000;
        detached();
        assertThat(effects.take()).contains("tell 7 at 1000");
        gate.timersDue(7, 1500);
        assertThat(effects.take()).containsExactly("pull 4/0", "tell 7 at 2000");
        gate.timersDue(7, 2000);
        assertThat(effects.take()).containsExactly("pull 4/1");
    }

    @Test
    void theRestComesOneByOneAsSoonAsSomebodyWaitsForTheEnd() {
        detached();
        effects.take();
        gate.fetchRest(7);
        gate.fetchRest(7);
        assertThat(effects.take()).containsExactly("pull 3/0");
        gate.installed(7, 3, new Bin(0, 2));
        assertThat(effects.take()).contains("pull 3/1");
        gate.installed(7, 3, new Bin(1, 2));
        gate.installed(7, 4, new Bin(0, 2));
        gate.installed(7, 4, new Bin(1, 2));
        assertThat(effects.reports)
                .contains(new GateReport.Settled(7, new GateReport.Counters(0, 0, 0, 0, 4)));
        gate.fetchRest(7);
        gate.timersDue(7, NEVER);
    }
}
