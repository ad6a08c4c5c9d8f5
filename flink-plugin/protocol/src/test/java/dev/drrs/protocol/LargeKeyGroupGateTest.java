package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Key groups of more than 10 bytes come in bins of 10. Here the last letter of a record says which
 * bin its key is in, a letter in a row a bin in a row; of two bins {@code b} is in the first.
 */
class LargeKeyGroupGateTest {

    private static final Subscale S = new Subscale(7, 0, 1, new int[] {3, 4});

    private final RecordingEffects effects = new RecordingEffects();

    private SubtaskGate<String> gate(int index, int window, boolean copyAhead) {
        Policies policies =
                new DrrsStrategy()
                        .policies(
                                Map.of(
                                        DrrsStrategy.BINS_FROM,
                                        "10",
                                        DrrsStrategy.BINS_SIZE,
                                        "10",
                                        DrrsStrategy.PULL_WINDOW,
                                        "" + window,
                                        DrrsStrategy.COPY_AHEAD,
                                        "" + copyAhead));
        return SimPolicies.gate(index, new Valve(2), policies, effects);
    }

    private int[] binsThatTheOldOwnerTells(boolean copyAhead) {
        effects.sizes = new long[] {10, 11};
        SubtaskGate<String> gate = gate(0, 1, copyAhead);
        gate.track(S, Long.MIN_VALUE);
        if (copyAhead) {
            gate.copied(7);
        }
        gate.start(7);
        return effects.sent.stream()
                .filter(PeerElement.Detached.class::isInstance)
                .map(element -> ((PeerElement.Detached<String>) element).bins())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theOldOwnerSaysWhichKeyGroupsAreLarge() {
        assertThat(binsThatTheOldOwnerTells(false)).containsExactly(1, 2);
    }

    @Test
    void whatWasCopiedAheadComesAsAWhole() {
        assertThat(binsThatTheOldOwnerTells(true)).isEmpty();
    }

    @Test
    void theBinThatMostRecordsWaitForComesFirstAndLetsThemGo() {
        SubtaskGate<String> gate = gate(1, 1, false);
        gate.register(S);
        gate.onPeer(new PeerElement.ValveCopy<>(7, new Valve(2).toLongs()));
        gate.onSwitch(0, 7);
        gate.onRecord(0, 4, "c", 1); // nobody knows yet which key groups are large
        gate.onRecord(0, 4, "cc", 1);
        gate.onRecord(0, 4, "b", 1);
        gate.onRecord(0, 3, "a", 1);
        effects.take();
        gate.onPeer(new PeerElement.Detached<>(7, new long[0], new int[] {1, 2}));
        assertThat(effects.take()).containsExactly("pull 4/1");
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        gate.installed(7, 4, new Bin(1, 2));
        assertThat(effects.take())
                .containsExactly(
                        "results begin 7",
                        "process c at -9223372036854775808 in 7",
                        "process cc at -9223372036854775808 in 7",
                        "pull 4/0");
        assertThat(gate.missingBins(7, 4)).isEqualTo(1);
        gate.installed(7, 4, new Bin(0, 2));
        assertThat(effects.take())
                .containsExactly("process b at -9223372036854775808 in 7", "pull 3");
    }

    @Test
    void binsThatCannotBeAreRefused() {
        for (int[] bins : new int[][] {{1}, {1, 0}, {1, BinsBySize.MOST + 1}}) {
            SubtaskGate<String> gate = gate(1, 1, false);
            gate.register(S);
            gate.onPeer(new PeerElement.ValveCopy<>(7, new Valve(2).toLongs()));
            PeerElement<String> detached = new PeerElement.Detached<>(7, new long[0], bins);
            assertThatThrownBy(() -> gate.onPeer(detached)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void aBinIsAboutAsLargeAsAskedForAndAKeyGroupHasNotTooMany() {
        BinsBySize rule = new BinsBySize(8, 3);
        assertThat(rule.of(8)).isEqualTo(1);
        assertThat(rule.of(9)).isEqualTo(3);
        assertThat(rule.of(10)).isEqualTo(4);
        assertThat(rule.of(Long.MAX_VALUE)).isEqualTo(BinsBySize.MOST);
        assertThat(new BinsBySize(0, 0).of(Long.MAX_VALUE)).isEqualTo(1);
    }
}
