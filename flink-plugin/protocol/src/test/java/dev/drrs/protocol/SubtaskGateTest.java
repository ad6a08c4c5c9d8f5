package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SubtaskGateTest {

    private static final Subscale S = new Subscale(7, 0, 1, new int[] {3, 4, 5});

    private final RecordingEffects effects = new RecordingEffects();

    private SubtaskGate<String> gate(int index, long records, int pullWindow) {
        return SimPolicies.gate(index, new Valve(2), policies(records, pullWindow), effects);
    }

    private static Policies policies(long records, int pullWindow) {
        return SimPolicies.of(new SetAsideLimit(records, 1000), pullWindow);
    }

    /** A new owner whose old owner has detached with event time at 10. */
    private SubtaskGate<String> newOwner(long records, int pullWindow) {
        SubtaskGate<String> gate = gate(1, records, pullWindow);
        SimPolicies.detachedAt10(gate, S);
        return gate;
    }

    @Test
    void aGateIsBusyFromRegistrationToJoin() {
        SubtaskGate<String> gate = gate(1, 10, 3);
        assertThat(gate.busy()).isFalse();
        gate.register(S);
        assertThat(gate.busy()).isTrue();
        assertThat(effects.take()).containsExactly("Promised 7");
        gate.onPeer(new PeerElement.Cancelled<>(7));
        assertThat(effects.take()).containsExactly("Cancelled 7");
        assertThat(gate.busy()).isFalse();
    }

    /** An old owner whose event time is at 10. */
    private SubtaskGate<String> oldOwner(long window) {
        SubtaskGate<String> gate = gate(0, 10, 1);
        gate.configure(SimPolicies.of(new CopyAhead(window, 0)));
        gate.onWatermark(0, 10);
        gate.onWatermark(1, 10);
        effects.take();
        return gate;
    }

    private static Subscale another(int id, int keyGroup) {
        return new Subscale(id, 0, 1, new int[] {keyGroup});
    }

    @Test
    void anOldOwnerIsReadyWhenItsCopyHasBeenSent() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        assertThat(effects.take()).containsExactly("send ValveCopy", "copy 7");
        gate.copied(7);
        assertThat(effects.take()).containsExactly("Ready 7");
        gate.start(7);
        assertThat(effects.take()).contains("detach 7").doesNotContain("drop copy 7");
    }

    /** An old owner that has detached and sends on what comes then in batches of two bytes. */
    private SubtaskGate<String> rerouting() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.configure(SimPolicies.of(new DirectSignals(new RerouteBatch(2, 900))));
        gate.track(S, 10);
        gate.start(7);
        effects.take();
        gate.onRecord(0, 3, "a", 1);
        assertThat(effects.take()).containsExactly("re-route 7 in 900");
        return gate;
    }

    @Test
    void whatIsReRoutedWaitsUntilItIsEnough() {
        SubtaskGate<String> gate = rerouting();
        gate.onRecord(1, 4, "b", 1);
        assertThat(effects.take()).containsExactly("send Rerouted", "send Rerouted");
        gate.onRecord(1, 4, "c", 1);
        assertThat(effects.take()).as("one time-out is under way").isEmpty();
        gate.rerouteTimeout(7);
        assertThat(effects.take()).containsExactly("send Rerouted");
    }

    @Test
    void eventTimeAndConfirmsComeBehindWhatIsReRouted() {
        SubtaskGate<String> gate = rerouting();
        gate.onConfirm(0, 7);
        assertThat(effects.take()).containsExactly("send Rerouted", "send Confirm");
        gate.onRecord(1, 4, "b", 1);
        gate.onWatermark(1, 11);
        assertThat(effects.take()).containsSequence("send Rerouted", "send Time");
        gate.settledAtNewOwner(7);
        gate.rerouteTimeout(7);
        assertThat(effects.take()).as("the subscale is over").isEmpty();
    }

    @Test
    void nothingIsCopiedAheadBeforeEventTimeIsThere() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 11);
        assertThat(effects.take()).containsExactly("send ValveCopy");
        gate.onWatermark(0, 11);
        gate.onWatermark(1, 11);
        assertThat(effects.take()).contains("copy 7").doesNotContain("Ready 7");
    }

    @Test
    void aSecondCopyWaitsUntilTheFirstSubscaleHasSettled() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        gate.track(another(8, 6), 10);
        gate.copied(7);
        gate.start(7);
        assertThat(effects.take()).contains("copy 7", "detach 7").doesNotContain("copy 8");
        gate.settledAtNewOwner(7);
        assertThat(effects.take()).containsExactly("copy 8");
    }

    @Test
    void whatIsLargerThanTheWindowIsCopiedAlone() {
        effects.copySize = 5;
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        gate.track(another(8, 6), 10);
        assertThat(effects.take()).contains("copy 7").doesNotContain("copy 8");
    }

    @Test
    void withNothingToCopyItIsReadyAtOnce() {
        effects.copySize = 0;
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        assertThat(effects.take()).containsExactly("send ValveCopy", "Ready 7");
    }

    @Test
    void aSubscaleThatIsCancelledEndsWhenItsCopyHasStopped() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        gate.track(another(8, 6), 10);
        effects.take();
        gate.untrack(7);
        gate.untrack(7);
        assertThat(effects.take()).containsExactly("stop copying 7");
        assertThat(gate.exchanging()).isTrue();
        gate.copied(7);
        assertThat(effects.take())
                .containsExactly("drop copy 7", "send Cancelled", "copy 8"); // there is room again
    }

    @Test
    void anExchangeIsNeededBetweenTheOwnersOfAnOpenSubscaleOnly() {
        SubtaskGate<String> from = oldOwner(1);
        from.track(S, 10);
        SubtaskGate<String> to = gate(1, 10, 3);
        to.register(S);
        assertThat(from.exchanging(S.newOwner())).isTrue();
        assertThat(from.exchanging(S.oldOwner())).isFalse();
        assertThat(to.exchanging(S.oldOwner())).isTrue();
        assertThat(to.exchanging(S.newOwner())).isFalse();
        from.untrack(7);
        from.copied(7);
        assertThat(from.exchanging(S.newOwner())).isFalse();
    }

    @Test
    void aCopyThatHasBeenSentForNothingIsDropped() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        gate.copied(7);
        effects.take();
        gate.untrack(7);
        assertThat(effects.take()).containsExactly("drop copy 7", "send Cancelled");
        assertThat(gate.busy()).isFalse();
    }

    @Test
    void aStartWhileTheCopyIsUnderWayIsAFault() {
        SubtaskGate<String> gate = oldOwner(1);
        gate.track(S, 10);
        assertThatThrownBy(() -> gate.start(7))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("copies it ahead");
        assertThatThrownBy(() -> gate.copied(8)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void asManyKeyGroupsAreAskedForAsTheWindowAllowsHottestFirst() {
        SubtaskGate<String> gate = newOwner(10, 2);
        assertThat(effects.take()).endsWith("pull 3", "pull 4");
        gate.installed(7, 4);
        assertThat(effects.take()).contains("pull 5");
    }

    @Test
    void theKeyGroupThatBlocksTheExchangeIsAskedForNext() {
        SubtaskGate<String> gate = newOwner(10, 1);
        effects.take();
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 5, "a"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 4, "b"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 4, "c"));
        gate.installed(7, 3);
        assertThat(effects.take()).containsExactly("results begin 7", "pull 5");
        gate.installed(7, 5);
        assertThat(effects.take()).containsExactly("process a at 10 in 7", "pull 4");
    }

    @Test
    void theKeyGroupWithMostWaitingRecordsIsAskedForNext() {
        SubtaskGate<String> gate = newOwner(10, 1);
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 3, "a"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 4, "b"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 3, "c"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 3, "d"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 5, "e"));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 5, "f"));
        effects.take();
        gate.installed(7, 3); // the first record passes, the next one waits for 4
        assertThat(effects.take())
                .containsExactly("results begin 7", "process a at 10 in 7", "pull 4");
    }

    @Test
    void aStrategyMayAskForKeyGroupsInAnotherOrder() {
        SubtaskGate<String> gate =
                SimPolicies.gate(1, new Valve(2), new SerialStrategy().policies(Map.of()), effects);
        gate.register(S);
        gate.onPeer(new PeerElement.ValveCopy<>(7, new Valve(2).toLongs()));
        gate.onPeer(new PeerElement.Detached<>(7, new long[0], new int[0]));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 5, "a"));
        effects.take();
        gate.installed(7, 3);
        assertThat(effects.take()).containsExactly("results begin 7", "pull 4");
    }

    @Test
    void anOrderThatAsksForAKeyGroupTwiceIsAnError() {
        PullOrder stubborn =
                new PullOrder() {
                    @Override
                    public int window() {
                        return 2;
                    }

                    @Override
                    public int next(Missing missing) {
                        return 3;
                    }
                };
        Policies drrs = policies(10, 1);
        SubtaskGate<String> gate = gate(1, 10, 1);
        gate.configure(
                new Policies(
                        drrs.units(),
                        drrs.startRule(),
                        drrs.signals(),
                        stubborn,
                        drrs.waitRule(),
                        CopyAhead.NONE));
        gate.register(S);
        gate.onPeer(new PeerElement.ValveCopy<>(7, new Valve(2).toLongs()));
        assertThatThrownBy(
                        () -> gate.onPeer(new PeerElement.Detached<>(7, new long[0], new int[0])))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("key group 3");
    }

    @Test
    void aBarrierHoldsItsChannelsUntilAllHaveBroughtItOrHaveEnded() {
        for (boolean ends : new boolean[] {false, true}) {
            SubtaskGate<String> gate =
                    SimPolicies.gate(
                            0, new Valve(2), SimPolicies.of(new AlignedSignals()), effects);
            gate.track(S, Long.MIN_VALUE);
            effects.take();
            gate.onConfirm(0, 7);
            gate.onRecord(1, 3, "still here", 1);
            assertThat(effects.take())
                    .containsExactly("hold 0", "process still here at -9223372036854775808 in -1");
            if (ends) {
                gate.onEnd(1);
            } else {
                gate.onConfirm(1, 7);
            }
            assertThat(effects.take())
                    .containsExactly(
                            "results end 7",
                            "detach 7",
                            "send Detached",
                            "send Confirm",
                            "send Confirm",
                            "resume 0");
        }
    }

    @Test
    void timersThatBecameDueFireAtTheInstallationBeforeAnyRecord() {
        SubtaskGate<String> gate = newOwner(10, 3);
        gate.onPeer(new PeerElement.Time<>(7, 0, false, 20));
        gate.onPeer(new PeerElement.Time<>(7, 1, false, 30));
        gate.onPeer(new PeerElement.Rerouted<>(7, 0, 4, "a"));
        effects.take();
        gate.installed(7, 4);
        assertThat(effects.take())
                .containsExactly("results begin 7", "fire 4 of 7 to 20", "process a at 20 in 7");
    }

    @Test
    void timersAtOrBelowTheClockOfTheDetachWaitForTheNextWatermark() {
        SubtaskGate<String> gate = newOwner(10, 3);
        effects.take();
        gate.installed(7, 3);
        gate.installed(7, 4);
        assertThat(effects.take()).containsExactly("results begin 7");
        gate.onPeer(new PeerElement.Time<>(7, 0, false, 20));
        assertThat(effects.take()).as("the clock stands still").isEmpty();
        gate.onPeer(new PeerElement.Time<>(7, 1, false, 30));
        assertThat(effects.take()).containsExactly("fire 7 to 20");
        gate.installed(7, 5);
        assertThat(effects.take()).as("no timer of the others again").contains("fire 5 of 7 to 20");
    }

    @Test
    void nothingIsPromisedBeyondTheDetachClockWhileAKeyGroupIsMissing() {
        SubtaskGate<String> gate = newOwner(10, 3);
        gate.onPeer(new PeerElement.Time<>(7, 0, false, 40));
        gate.onPeer(new PeerElement.Time<>(7, 1, false, 40));
        gate.onWatermark(0, 40);
        gate.onWatermark(1, 40);
        assertThat(effects.take()).contains("main 40", "emit 10").doesNotContain("emit 40");
        gate.installed(7, 3);
        gate.installed(7, 4);
        assertThat(effects.take()).doesNotContain("emit 40");
        gate.installed(7, 5);
        assertThat(effects.take()).containsExactly("fire 5 of 7 to 40", "emit 40");
    }

    @Test
    void withCopiesAheadTheCoordinatorHearsOnceThatAllIsInstalled() {
        SubtaskGate<String> gate = newOwner(10, 3);
        gate.configure(SimPolicies.of(new CopyAhead(1, 0)));
        gate.installed(7, 3);
        gate.installed(7, 4);
        assertThat(effects.take()).doesNotContain("Installed 7");
        gate.installed(7, 5);
        assertThat(effects.take()).containsExactly("Installed 7");
        gate.onPeer(new PeerElement.Time<>(7, 0, false, 20));
        gate.onSwitch(0, 7);
        gate.onSwitch(1, 7);
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        gate.onPeer(new PeerElement.Confirm<>(7, 1));
        assertThat(effects.take()).contains("Settled 7").doesNotContain("Installed 7");
    }

    @Test
    void whatIsInstalledLastAndSettlesWithItIsSaidToHaveSettledOnly() {
        SubtaskGate<String> gate = newOwner(10, 3);
        gate.configure(SimPolicies.of(new CopyAhead(1, 0)));
        gate.onSwitch(0, 7);
        gate.onSwitch(1, 7);
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        gate.onPeer(new PeerElement.Confirm<>(7, 1));
        for (int g : S.keyGroups()) {
            gate.installed(7, g);
        }
        assertThat(effects.take()).contains("Settled 7").doesNotContain("Installed 7");
    }

    @Test
    void aRecordWaitsForTheConfirmOfItsChannelOthersPass() {
        SubtaskGate<String> gate = newOwner(10, 3);
        for (int g : S.keyGroups()) {
            gate.installed(7, g);
        }
        assertThat(effects.take()).as("nobody asks without copies").doesNotContain("Installed 7");
        gate.onSwitch(0, 7);
        gate.onSwitch(1, 7);
        gate.onPeer(new PeerElement.Confirm<>(7, 1));
        effects.take();
        gate.onRecord(0, 3, "waits", 1);
        gate.onRecord(1, 3, "passes", 1);
        gate.onRecord(0, 99, "other key group", 1);
        assertThat(effects.take())
                .containsExactly(
                        "process passes at 10 in 7",
                        "process other key group at -9223372036854775808 in -1");
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        assertThat(effects.take()).containsExactly("process waits at 10 in 7", "Settled 7");
        gate.onWatermark(0, 10);
        gate.onWatermark(1, 10);
        assertThat(effects.take()).containsExactly("main 10", "joined 7", "Joined 7", "emit 10");
        assertThat(gate.busy()).isFalse();
        gate.onWatermark(0, 12);
        gate.onWatermark(1, 12);
        assertThat(effects.take()).containsExactly("plain 12");
    }

    @Test
    void theElementOverTheLimitIsTakenAndItsChannelHeldUntilItMayPass() {
        SubtaskGate<String> gate = newOwner(1, 3);
        gate.onSwitch(0, 7);
        effects.take();
        gate.onRecord(0, 3, "a", 1);
        assertThat(effects.take()).isEmpty();
        gate.onRecord(0, 3, "b", 1);
        assertThat(effects.take()).containsExactly("hold 0");
        gate.onRecord(0, 3, "rest of the buffer", 1);
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        assertThat(effects.take()).isEmpty();
        gate.installed(7, 3);
        assertThat(effects.take())
                .containsExactly(
                        "results begin 7",
                        "process a at 10 in 7",
                        "process b at 10 in 7",
                        "process rest of the buffer at 10 in 7",
                        "resume 0");
    }

    @Test
    void bytesCountAsWell() {
        SubtaskGate<String> gate = newOwner(10, 3);
        gate.onSwitch(0, 7);
        effects.take();
        gate.onRecord(0, 3, "large", 1001);
        assertThat(effects.take()).containsExactly("hold 0");
    }

    @Test
    void anOldOwnerReroutesInOrderAndHoldsTheChannelWithoutRoom() {
        SubtaskGate<String> gate = gate(0, 10, 1);
        gate.onWatermark(0, 5);
        gate.track(S, 8);
        assertThat(effects.take()).containsExactly("send ValveCopy");
        gate.onWatermark(1, 9);
        gate.onWatermark(0, 9);
        assertThat(effects.take())
                .containsExactly(
                        "send Time",
                        "main 5",
                        "emit 5",
                        "send Time",
                        "main 9",
                        "Ready 7",
                        "emit 9");
        gate.onRecord(0, 3, "before", 1);
        gate.start(7);
        assertThat(effects.take())
                .containsExactly(
                        "process before at 9 in -1", "results end 7", "detach 7", "send Detached");
        effects.room = false;
        gate.onRecord(0, 3, "after", 1);
        assertThat(effects.take()).containsExactly("send Rerouted", "hold 0");
        effects.room = true;
        gate.peerRoomAgain();
        assertThat(effects.take()).containsExactly("resume 0");
        gate.onConfirm(0, 7);
        gate.onConfirm(1, 7);
        gate.onWatermark(0, 11);
        assertThat(effects.take()).containsExactly("send Confirm", "send Confirm");
        gate.settledAtNewOwner(7);
        assertThat(gate.busy()).isFalse();
        assertThatThrownBy(() -> gate.onRecord(0, 3, "lost", 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("gave away");
    }

    @Test
    void theFirstConfirmStartsASubscaleAndALateStartIsIgnored() {
        SubtaskGate<String> gate = gate(0, 10, 1);
        gate.track(S, Long.MIN_VALUE);
        gate.onConfirm(0, 7);
        assertThat(effects.take())
                .containsExactly(
                        "send ValveCopy",
                        "Ready 7",
                        "results end 7",
                        "detach 7",
                        "send Detached",
                        "send Confirm");
        gate.start(7);
        gate.start(99);
        assertThat(effects.take()).isEmpty();
    }

    @Test
    void aNewOwnerThatWasIdleTurnsActiveAndIsAlignedBeforeItPromises() {
        SubtaskGate<String> gate = gate(1, 10, 1);
        gate.onStatus(0, true);
        gate.onStatus(1, true);
        assertThat(effects.take()).containsExactly("idle");
        gate.register(S);
        assertThat(effects.take()).containsExactly("active", "align 7");
        gate.aligned(7, 33);
        assertThat(effects.take()).containsExactly("Promised 7");
    }

    /** A new subtask whose consumers stood at 5 and 8 when they opened its channels. */
    private SubtaskGate<String> fresh() {
        SubtaskGate<String> gate = gate(1, 10, 1);
        gate.awaitSubscale();
        gate.activated(5, 8);
        return gate;
    }

    @Test
    void aNewSubtaskTellsNoEventTimeBeforeItsFirstSubscale() {
        SubtaskGate<String> gate = fresh();
        gate.onWatermark(0, 40);
        gate.onWatermark(1, 40);
        gate.onStatus(0, true);
        gate.onStatus(1, true);
        gate.onStatus(1, false);
        gate.onEnd(0);
        assertThat(effects.take()).containsExactly("main 40", "main idle", "main active");
        assertThat(gate.keepsTime()).isTrue();
        assertThat(gate.busy()).isFalse();
        gate.register(S);
        assertThat(effects.reports).containsExactly(new GateReport.Promised(7, 8));
        assertThat(effects.take()).containsExactly("Promised 7");
        gate.onPeer(new PeerElement.Cancelled<>(7));
        assertThat(effects.take()).containsExactly("Cancelled 7", "emit 40");
        assertThat(gate.keepsTime()).isFalse();
    }

    @Test
    void aNewSubtaskThatGetsNoSubscaleGoesOnWhereItsChannelsStand() {
        SubtaskGate<String> gate = fresh();
        gate.onWatermark(0, 40);
        gate.onWatermark(1, 40);
        gate.onStatus(0, true);
        gate.onStatus(1, true);
        effects.take();
        gate.awaitNoSubscale();
        gate.awaitNoSubscale();
        assertThat(effects.take()).containsExactly("emit 40", "idle");
        gate.onStatus(1, false);
        gate.onWatermark(1, 50);
        assertThat(effects.take()).containsExactly("active", "plain 50");
    }

    /**
     * As after the end of all event time: consumers that are opened later have heard of nothing.
     */
    @Test
    void aNewSubtaskTellsTheEventTimeThatItsConsumersHoldItFrom() {
        SubtaskGate<String> gate = fresh();
        gate.register(S);
        gate.onWatermark(0, 5);
        gate.onWatermark(1, 5);
        effects.take();
        gate.onPeer(new PeerElement.Cancelled<>(7));
        assertThat(effects.take()).containsExactly("Cancelled 7", "emit 5");
        gate.onWatermark(0, 6);
        gate.onWatermark(1, 6);
        assertThat(effects.take()).containsExactly("plain 6");
    }

    @Test
    void whatAnOpenSubscaleBoundsIsNotReleasedByTheNewsThatNoneFollows() {
        SubtaskGate<String> gate = fresh();
        gate.register(S);
        gate.onWatermark(0, 40);
        gate.onWatermark(1, 40);
        gate.awaitNoSubscale();
        assertThat(effects.take()).containsExactly("Promised 7", "main 40");
    }

    @Test
    void aGateThatWasNotToldItsStrategyRefusesSubscales() {
        SubtaskGate<String> gate = new SubtaskGate<>(1, new Valve(2), effects);
        assertThatThrownBy(() -> gate.register(S))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("before its strategy");
        assertThatThrownBy(() -> gate.track(S, 0)).isInstanceOf(ProtocolException.class);
        assertThat(gate.busy()).isFalse();
    }

    @Test
    void messagesThatFitNoStateAreErrors() {
        SubtaskGate<String> gate = gate(1, 10, 1);
        assertThatThrownBy(() -> gate.onConfirm(0, 7)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.onSwitch(0, 7)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.installed(7, 3)).isInstanceOf(IllegalStateException.class);
        gate.register(S);
        assertThatThrownBy(() -> gate.installed(7, 3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.register(new Subscale(8, 2, 1, new int[] {5})))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.onChannelClosed(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anElasticProducersAlignEventIsAnsweredWithTheHighestClock() {
        SubtaskGate<String> gate = gate(1, 10, 1);
        gate.onStatus(1, true);
        gate.onWatermark(0, 40);
        gate.onStatus(1, false);
        assertThat(gate.onAlign(1)).isEqualTo(40);
        gate.onWatermark(0, 50);
        assertThat(effects.take()).containsExactly("plain 40");
        gate.onWatermark(1, 45);
        assertThat(effects.take()).containsExactly("plain 45");
    }

    @Test
    void theEndOfAChannelIsItsConfirmAndItsSwitch() {
        SubtaskGate<String> old = gate(0, 10, 3);
        old.onEnd(0);
        old.track(S, Long.MIN_VALUE);
        effects.sent.clear();
        old.start(7);
        assertThat(effects.sent)
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(
                        new PeerElement.Detached<>(7, new long[0], new int[0]),
                        new PeerElement.Confirm<>(7, 0));
        old.onEnd(1);
        old.onEnd(1);
        assertThat(effects.sent).endsWith(new PeerElement.Confirm<>(7, 1)).hasSize(3);
    }

    @Test
    void aSubscaleSettlesThoughAProducerHadEndedBeforeItsNewOwnerWasActivated() {
        Valve main = new Valve(2);
        main.remove(0);
        SubtaskGate<String> gate = SimPolicies.gate(1, main, policies(10, 3), effects);
        gate.register(S);
        Valve old = new Valve(2);
        old.watermark(0, Long.MAX_VALUE);
        old.watermark(1, 10);
        gate.onPeer(new PeerElement.ValveCopy<>(7, old.toLongs()));
        gate.onPeer(new PeerElement.Detached<>(7, new long[0], new int[0]));
        for (int g : S.keyGroups()) {
            gate.installed(7, g);
        }
        gate.onWatermark(1, 10);
        gate.onSwitch(1, 7);
        gate.onPeer(new PeerElement.Confirm<>(7, 1));
        assertThat(effects.take())
                .as("the old owner may have more of it")
                .doesNotContain("Settled 7");
        gate.onPeer(new PeerElement.Confirm<>(7, 0));
        assertThat(effects.take()).contains("Settled 7", "joined 7");
        assertThat(gate.clock()).isEqualTo(10);
    }

    @Test
    void aNewOwnerThatWasIdleAsksNobodyWhereNobodyIsBehind() {
        effects.consumers = false;
        SubtaskGate<String> gate = gate(1, 10, 3);
        gate.onStatus(0, true);
        gate.onStatus(1, true);
        effects.take();
        gate.register(S);
        assertThat(effects.take()).endsWith("Promised 7");
    }
}
