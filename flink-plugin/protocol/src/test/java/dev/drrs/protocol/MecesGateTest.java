package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a new owner does with bins. Here the last letter of a record says which of four bins its key
 * is in, a letter in a row a bin in a row.
 */
class MecesGateTest {

    private static final Subscale S = new Subscale(7, 0, 1, new int[] {3, 4});

    private static final Map<String, String> FOUR = Map.of(MecesStrategy.BINS, "4");

    private final RecordingEffects effects = new RecordingEffects();

    private final SubtaskGate<String> gate =
            SimPolicies.gate(1, new Valve(2), new MecesStrategy().policies(FOUR), effects);

    /** All of it has left, at the clock 10, and both channels bring it here. */
    @BeforeEach
    void detached() {
        SimPolicies.detachedAt10(gate, S);
        for (int channel = 0; channel < 2; channel++) {
            gate.onPeer(new PeerElement.Confirm<>(7, channel));
            gate.onSwitch(channel, 7);
        }
        assertThat(effects.take()).containsExactly("Promised 7", "pull 3/0");
    }

    private void installed(int keyGroup, char letter) {
        gate.installed(7, keyGroup, new Bin(letter % 4, 4));
    }

    @Test
    void whatTheRecordAtHandNeedsIsAskedForAtOnceAndTheSubtaskWaitsForThatBinOnly() {
        gate.onRecord(0, 4, "b", 1);
        assertThat(effects.take()).containsExactly("pull 4/2", "hold 0", "hold 1");

        installed(4, 'b'); // three bins of its key group are missing, and all of the other one
        assertThat(effects.take())
                .containsExactly("results begin 7", "process b at 10 in 7", "resume 0", "resume 1");
        assertThat(gate.missingBins(7, 4)).isEqualTo(3);
        gate.onRecord(1, 4, "bb", 1);
        assertThat(effects.take()).containsExactly("process bb at 10 in 7");
        gate.onRecord(1, 4, "c", 1);
        assertThat(effects.take()).containsExactly("pull 4/3", "hold 1", "hold 0");
    }

    @Test
    void inTheBackgroundOneComesAfterTheOther() {
        installed(3, 'd');
        assertThat(effects.take()).containsExactly("results begin 7", "pull 3/1");
        gate.onRecord(0, 3, "c", 1);
        assertThat(effects.take()).containsExactly("pull 3/3", "hold 0", "hold 1");
        installed(3, 'a');
        assertThat(effects.take()).isEmpty();
        installed(3, 'c');
        assertThat(effects.take())
                .containsExactly("process c at 10 in 7", "pull 3/2", "resume 0", "resume 1");
    }

    @Test
    void timersThatFellDueOnTheWayFireWithTheirBin() {
        gate.onWatermark(0, 20);
        gate.onWatermark(1, 20);
        effects.take();
        installed(3, 'd');
        assertThat(effects.take()).contains("fire 3/0 of 7 to 20");
        installed(3, 'a');
        assertThat(effects.take()).contains("fire 3/1 of 7 to 20").doesNotContain("fire 7 to 20");
    }

    @Test
    void itIsSettledWhenTheLastBinIsThere() {
        gate.onRecord(0, 3, "b", 1);
        for (char letter : "dbac".toCharArray()) {
            installed(3, letter);
        }
        for (char letter : "dabc".toCharArray()) {
            assertThat(effects.reports).hasSize(1); // what it has promised
            installed(4, letter);
        }
        assertThat(gate.missingBins(7, 3)).isZero();
        assertThat(effects.reports)
                .endsWith(new GateReport.Settled(7, new GateReport.Counters(0, 1, 1, 1, 8)));
    }
}
