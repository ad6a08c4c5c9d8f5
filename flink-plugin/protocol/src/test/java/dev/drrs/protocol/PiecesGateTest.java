package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What had to wait is let go piece by piece, and what comes between is taken in its order. */
class PiecesGateTest {

    private static final Subscale S = new Subscale(7, 0, 1, new int[] {3, 4});

    private final RecordingEffects effects = new RecordingEffects();
    private final SubtaskGate<String> gate =
            SimPolicies.gate(
                    1, new Valve(2), SimPolicies.of(new SetAsideLimit(2, 1000), 2), effects);

    /** Three records wait in channel 0 and none is let go yet; nothing else is missing. */
    private void threeWait() {
        SimPolicies.detachedAt10(gate, S);
        for (int channel = 0; channel < 2; channel++) {
            gate.onSwitch(channel, 7);
            gate.onPeer(new PeerElement.Confirm<>(7, channel));
        }
        gate.installed(7, 4);
        gate.onRecord(0, 3, "a", 1);
        gate.onRecord(0, 4, "b", 1);
        gate.onRecord(0, 3, "c", 1);
        effects.takes = 0;
        gate.installed(7, 3);
        assertThat(records()).isEmpty();
        assertThat(gate.hasReleased()).isTrue();
    }

    /** What has been done with records and their event time since the last time. */
    private List<String> records() {
        return effects.take().stream()
                .filter(line -> line.startsWith("process") || line.startsWith("fire"))
                .map(line -> line.substring(0, line.indexOf(' ', line.indexOf(' ') + 1)))
                .toList();
    }

    private List<String> piece(int elements) {
        effects.takes = elements;
        gate.takeReleased();
        return records();
    }

    @Test
    void recordsOfOtherKeysAndChannelsGoBetweenThePiecesThoseOfItsOwnChannelBehindThem() {
        threeWait();
        assertThat(piece(1)).containsExactly("process a");
        gate.onRecord(0, 9, "other key", 1);
        gate.onRecord(1, 3, "other channel", 1);
        assertThat(records()).hasSize(2);
        gate.onRecord(0, 4, "d", 1);
        assertThat(records()).isEmpty();
        assertThat(piece(2)).containsExactly("process b", "process c");
        assertThat(piece(9)).containsExactly("process d");
        gate.onRecord(0, 4, "e", 1);
        assertThat(records()).containsExactly("process e");
    }

    @Test
    void eventTimeKeepsItsPlaceBehindWhatWaitsAndNoSubscaleSettlesBefore() {
        threeWait();
        effects.reports.clear();
        gate.onWatermark(0, 20);
        gate.onWatermark(1, 20);
        assertThat(piece(2)).containsExactly("process a", "process b");
        assertThat(effects.reports).isEmpty();
        assertThat(piece(1)).containsExactly("process c");
        assertThat(effects.reports).isEmpty();
        assertThat(piece(1)).containsExactly("fire 7");
        assertThat(effects.reports)
                .containsExactly(
                        new GateReport.Settled(7, new GateReport.Counters(0, 3, 5, 0, 0)),
                        new GateReport.Joined(7));
        assertThat(gate.hasReleased()).isFalse();
    }

    @Test
    void aChannelIsReadOnWhenEnoughOfWhatWaitedIsLetGo() {
        threeWait();
        assertThat(effects.take()).isEmpty();
        effects.takes = 1;
        gate.takeReleased();
        assertThat(effects.take()).contains("resume 0");
    }

    /** One that gets more and more would keep the other for ever. */
    @Test
    void queuesTakeTurns() {
        threeWait();
        gate.onPeer(new PeerElement.Time<>(7, 1, false, 11));
        effects.take();
        Subscale other = new Subscale(8, 0, 1, new int[] {5});
        SimPolicies.detachedAt10(gate, other);
        gate.onPeer(new PeerElement.Rerouted<>(8, 0, 5, "x"));
        gate.onPeer(new PeerElement.Rerouted<>(8, 0, 5, "y"));
        effects.takes = 0;
        gate.installed(8, 5);
        effects.take();
        assertThat(piece(1)).containsExactly("process a");
        assertThat(piece(1)).containsExactly("process x");
        assertThat(piece(1)).containsExactly("process b");
        assertThat(piece(9)).contains("process y", "process c");
    }
}
