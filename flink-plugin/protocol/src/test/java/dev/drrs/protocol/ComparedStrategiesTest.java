package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What strategies to compare with are made of; what they do is in the simulation. */
class ComparedStrategiesTest {

    private static final int[] PRESENT = {0, 0, 0, 0, 1, 1, 1, 1};
    private static final int[] TARGET = {0, 2, 2, 2, 1, 1, 2, 3};

    private final Strategy megaphone = Strategies.byName("megaphone").orElseThrow();
    private final Strategy meces = Strategies.byName("meces").orElseThrow();
    private final Strategy lazy = Strategies.byName("lazy").orElseThrow();
    private final Strategy otfs = Strategies.byName("otfs").orElseThrow();

    @Test
    void allAlignABarrierAndLetNothingOvertake() {
        for (Strategy strategy : List.of(meces, megaphone, otfs)) {
            Policies policies = strategy.policies(Map.of());
            assertThat(policies.signals()).isEqualTo(new AlignedSignals());
            assertThat(policies.waitRule()).isEqualTo(new InOrder());
            assertThat(policies.copyAhead()).isEqualTo(CopyAhead.NONE);
        }
        assertThat(megaphone.policies(Map.of()).startRule()).isEqualTo(new StepByStep());
        assertThat(otfs.policies(Map.of()).startRule()).isEqualTo(new AllAtOnce());
    }

    @Test
    void megaphoneMovesABatchOfKeyGroupsInAStepOneIfNotSaidOtherwise() {
        assertThat(moves(megaphone.policies(Map.of())))
                .containsExactly("0>2 [1]", "0>2 [2]", "0>2 [3]", "1>2 [6]", "1>3 [7]");
        assertThat(moves(megaphone.policies(Map.of(MegaphoneStrategy.BATCH, "2"))))
                .containsExactly("0>2 [1, 2]", "0>2 [3]", "1>2 [6]", "1>3 [7]");
    }

    @Test
    void mecesMovesKeyGroupsInStepsWhoeverTheirOwnersAre() {
        assertThat(moves(meces.policies(Map.of())))
                .containsExactly("0>2 [1, 2, 3]", "1>2 [6]", "1>3 [7]");
        assertThat(moves(meces.policies(Map.of(MecesStrategy.BATCH, "4"))))
                .containsExactly("0>2 [1, 2, 3]", "1>2 [6]", "1>3 [7]");
        assertThat(moves(meces.policies(Map.of(MecesStrategy.BATCH, "2"))))
                .containsExactly("0>2 [1, 2]", "0>2 [3]", "1>2 [6]", "1>3 [7]");
    }

    @Test
    void mecesAsksForWhatARecordNeedsWhateverIsOnItsWay() {
        PullOrder order = meces.policies(Map.of(MecesStrategy.BINS, "2")).pullOrder();
        Incoming<String> in = new Incoming<>(new Subscale(1, 0, 2, new int[] {1, 2, 3}), 2, order);
        in.detached = true;
        assertThat(order.demanded(in)).isEqualTo(-1);
        assertThat(order.next(in)).isEqualTo(in.part(1, 0));
        in.requested(in.part(1, 0));
        assertThat(in.mayPull(order.window())).isFalse();
        in.aside(1).add(new Waiting<>(in.part(3, 1), "a", 1, 0));
        assertThat(order.demanded(in)).isEqualTo(in.part(3, 1));
        in.requested(in.part(3, 1));
        assertThat(order.demanded(in)).isEqualTo(-1);
    }

    @Test
    void lazyChangesAllOwnersAtOnceAndLetsStateComeWhenItIsNeeded() {
        Policies policies = lazy.policies(Map.of());
        assertThat(moves(policies)).containsExactly("0>2 [1, 2, 3]", "1>2 [6]", "1>3 [7]");
        assertThat(policies.startRule()).isEqualTo(new AllAtOnce());
        assertThat(policies.signals()).isEqualTo(new DirectSignals());
        assertThat(policies.pullOrder().leavesRest()).isFalse();
        PullOrder alone =
                lazy.policies(Map.of(LazyStrategy.BACKGROUND, "false", LazyStrategy.BATCH, "3"))
                        .pullOrder();
        assertThat(alone.leavesRest()).isTrue();
        assertThat(alone.windowForTheRest()).isEqualTo(3);
    }

    @Test
    void otfsMovesAllThatTwoOwnersExchange() {
        assertThat(moves(otfs.policies(Map.of())))
                .containsExactly("0>2 [1, 2, 3]", "1>2 [6]", "1>3 [7]");
    }

    @Test
    void subscalesOfARequestAreThoseOfItsStrategyOnlyIfThatLeavesThemToThePlanner() {
        Plan plan =
                new Plan(
                        TARGET,
                        List.of(
                                new Plan.Move(1, 3, new int[] {7}),
                                new Plan.Move(0, 2, new int[] {3, 1, 2}),
                                new Plan.Move(1, 2, new int[] {6})));
        KeyGroupLoad load = KeyGroupLoad.unknown(PRESENT.length);
        Units drrs = Strategies.byName("drrs").orElseThrow().policies(Map.of()).units();
        assertThat(drrs.of(plan, PRESENT, load).moves()).isEqualTo(plan.moves());
        Plan steps = megaphone.policies(Map.of()).units().of(plan, PRESENT, load);
        assertThat(steps.moves()).hasSize(5);
        assertThat(PlanValidator.validate(PRESENT, 4, 4, steps)).isEmpty();
    }

    @Test
    void anOptionOfAnotherStrategyIsRefusedWithThoseThereAre() {
        Map<String, String> option = Map.of(DrrsStrategy.PULL_WINDOW, "2");
        assertThat(megaphone.check(option))
                .containsExactly(
                        new PlanFault(
                                "UNKNOWN_OPTION",
                                "Strategy megaphone has no option drrs.strategy.pull-window; it has"
                                        + " drrs.megaphone.batch."));
        assertThat(meces.check(option))
                .containsExactly(
                        new PlanFault(
                                "UNKNOWN_OPTION",
                                "Strategy meces has no option drrs.strategy.pull-window; it has"
                                        + " drrs.meces.batch, drrs.meces.bins."));
        assertThat(lazy.check(option))
                .containsExactly(
                        new PlanFault(
                                "UNKNOWN_OPTION",
                                "Strategy lazy has no option drrs.strategy.pull-window; it has"
                                        + " drrs.lazy.background, drrs.lazy.batch, drrs.lazy.bins,"
                                        + " drrs.lazy.set-aside.bytes, drrs.lazy.set-aside.records."));
        assertThat(otfs.check(option))
                .containsExactly(
                        new PlanFault(
                                "UNKNOWN_OPTION",
                                "Strategy otfs has no option drrs.strategy.pull-window; it has"
                                        + " none."));
    }

    private static List<String> moves(Policies policies) {
        return policies.units().divide(PRESENT, TARGET, KeyGroupLoad.unknown(8)).stream()
                .map(
                        move ->
                                move.from()
                                        + ">"
                                        + move.to()
                                        + " "
                                        + Arrays.toString(move.keyGroups()))
                .toList();
    }
}
