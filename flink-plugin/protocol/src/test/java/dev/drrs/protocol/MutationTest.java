package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulation finds what it is there to find. */
class MutationTest {

    private static final int ENOUGH = 40_000;
    private static final String SEED = "drrs.simulation.seed";

    /**
     * A schedule of {@code drrs} that shows what few of them do, to be tried first: each takes
     * milliseconds. When the simulation draws others, it is looked for among all of them again.
     */
    private static final Map<Mutation, Long> SHOWN_BY =
            Map.of(
                    Mutation.CONSUMER_UNALIGNED, 3_952L,
                    Mutation.UNION_UNTOLD, 713L,
                    Mutation.NO_REALIGN, 8_526L,
                    Mutation.MOVE_BEFORE_JOIN, 8_006L,
                    Mutation.SETTLED_IS_ENOUGH, 7_637L);

    /** Of strategies with a barrier: what could be wrong with that, or go wrong because of it. */
    private static final Set<Mutation> OF_BARRIERS =
            EnumSet.of(
                    Mutation.LEAVES_AT_FIRST_CONFIRM,
                    Mutation.READ_BEHIND_CONFIRM,
                    Mutation.CONFIRM_BEFORE_DETACH,
                    Mutation.HELD_FOR_EVER,
                    Mutation.SIGNALS_IN_ANY_ORDER,
                    Mutation.OVERTAKES,
                    Mutation.CONFIRM_FIRST,
                    Mutation.MAIN_CLOCK,
                    Mutation.NO_TIMERS,
                    Mutation.NO_FIRE_AT_INSTALL,
                    Mutation.NO_FORWARD_TIME,
                    Mutation.NO_SWITCH,
                    Mutation.NO_CHAIN_FLUSH,
                    Mutation.BEGIN_LATE,
                    Mutation.START_IN_CHECKPOINT);

    /** Of steps with several subscales, and of what is fetched when a record needs it. */
    private static final Set<Mutation> OF_MECES =
            EnumSet.of(
                    Mutation.STEP_TOO_SOON,
                    Mutation.STEP_IN_PIECES,
                    Mutation.DEMAND_UNHEARD,
                    Mutation.DEMAND_WAITS_FOR_WINDOW,
                    Mutation.BACKGROUND_FIRST);

    private static final Set<Mutation> OF_BINS =
            EnumSet.of(
                    Mutation.BIN_OF_ANOTHER_KEY,
                    Mutation.BIN_IS_THE_WHOLE,
                    Mutation.BIN_IN_PLACE_OF_OTHERS,
                    Mutation.NO_FIRE_AT_LATER_BINS,
                    Mutation.FIRE_ALL_BINS,
                    Mutation.TIMERS_WITH_FIRST_BIN);

    /** Of bins that only large key groups come in. */
    private static final Set<Mutation> OF_LARGE =
            EnumSet.of(
                    Mutation.BINS_UNTOLD,
                    Mutation.BINS_OF_ALL_KEY_GROUPS,
                    Mutation.COPY_IN_BINS,
                    Mutation.WAITS_FOR_FIRST_BIN,
                    Mutation.BINS_IN_PLAN_ORDER);

    /** Of state that comes when it is needed, or when somebody waits for the end. */
    private static final Set<Mutation> OF_LAZY =
            EnumSet.of(
                    Mutation.REST_UNHEARD,
                    Mutation.SECTIONS_AWAITED_UNHEARD,
                    Mutation.FETCHED_UNASKED,
                    Mutation.ONLY_AT_HAND,
                    Mutation.DUE_UNHEARD,
                    Mutation.TIMERS_UNTOLD,
                    Mutation.TIMERS_OF_FIRST_BIN,
                    Mutation.EVENT_TIME_STANDS,
                    Mutation.PROCESSING_TIME_UNHEARD,
                    Mutation.PROCESSING_TIME_ONCE);

    /** Of files in shared storage. */
    private static final Set<Mutation> OF_STORAGE =
            EnumSet.of(
                    Mutation.FILE_REMOVED_WHEN_ANNOUNCED,
                    Mutation.ANNOUNCED_WHILE_WRITTEN,
                    Mutation.DAMAGE_UNSEEN,
                    Mutation.FILE_KEPT_WHEN_READ,
                    Mutation.READS_ANOTHER_FILE,
                    Mutation.FILE_FOR_ALL_BINS,
                    Mutation.FOLDER_OF_ANY_LIFE,
                    Mutation.NOT_SWEPT,
                    Mutation.SWEPT_TOO_MUCH);

    /** With {@code drrs}, which comes into all situations with one or another of its options. */
    private static final Set<Mutation> OF_DRRS = EnumSet.allOf(Mutation.class);

    /** Of what {@code reference} does in another way than {@code drrs}. */
    private static final Set<Mutation> OF_REFERENCE =
            EnumSet.of(
                    Mutation.STARTS_AS_DRRS,
                    Mutation.ROUNDS_END,
                    Mutation.CONFIRM_BEFORE_BATCH,
                    Mutation.TIME_BEFORE_BATCH,
                    Mutation.BATCH_LOST,
                    Mutation.BATCH_REVERSED,
                    Mutation.NEVER_STANDS);

    static {
        OF_DRRS.removeAll(OF_REFERENCE);
        OF_DRRS.removeAll(OF_MECES);
        OF_DRRS.removeAll(OF_LAZY);
        OF_DRRS.removeAll(OF_STORAGE);
    }

    /** Of signals that overtake records, and of records that others overtake. */
    private static final Set<Mutation> OF_RE_ROUTING =
            EnumSet.of(
                    Mutation.NO_CONFIRM_WAIT,
                    Mutation.CONFIRM_FIRST,
                    Mutation.DROP_REROUTED,
                    Mutation.MAIN_CLOCK,
                    Mutation.NO_FORWARD_TIME,
                    Mutation.NO_SWITCH,
                    Mutation.HELD_FOR_EVER,
                    Mutation.START_IN_CHECKPOINT);

    static Stream<Arguments> mutations() {
        return Strategies.names().stream()
                .flatMap(name -> mutations(name).stream().map(one -> Arguments.of(name, one)));
    }

    private static Set<Mutation> mutations(String strategy) {
        if (strategy.equals(DrrsStrategy.NAME)) {
            return OF_DRRS;
        }
        if (strategy.equals(ReferenceStrategy.NAME)) {
            Set<Mutation> mutations = EnumSet.copyOf(OF_REFERENCE);
            mutations.addAll(OF_RE_ROUTING);
            return mutations;
        }
        if (strategy.equals(LazyStrategy.NAME)) {
            Set<Mutation> mutations = EnumSet.copyOf(OF_LAZY);
            mutations.addAll(OF_RE_ROUTING);
            mutations.addAll(OF_BINS);
            mutations.add(Mutation.NO_BOUND_FOR_MISSING);
            return mutations;
        }
        if (strategy.equals(RemoteStrategy.NAME)) { // else it is lazy with all its background
            return OF_STORAGE;
        }
        EnumSet<Mutation> mutations = with(OF_BARRIERS, Mutation.STARTS_AS_DRRS);
        if (strategy.equals(MecesStrategy.NAME)) {
            mutations.addAll(OF_MECES);
            mutations.addAll(OF_BINS);
        }
        return mutations;
    }

    private static EnumSet<Mutation> with(Set<Mutation> some, Mutation one) {
        EnumSet<Mutation> all = EnumSet.copyOf(some);
        all.add(one);
        return all;
    }

    @ParameterizedTest
    @MethodSource("mutations")
    void aDeliberateBugIsCaught(String strategy, Mutation mutation) {
        long seed = Long.getLong(SEED, 1);
        Schedules.Failure failure = inTheScheduleThatShowsIt(strategy, mutation);
        if (failure == null) {
            failure = Schedules.explore(SimStrategies.byName(strategy), ENOUGH, seed, mutation);
        }
        assertThat(failure)
                .as("%s of %s in %d schedules from seed %d", mutation, strategy, ENOUGH, seed)
                .isNotNull();
        System.out.println(
                strategy
                        + ": "
                        + mutation
                        + " caught after "
                        + failure.schedules()
                        + " schedules: "
                        + failure.cause());
    }

    /** Null if there is none such; a seed that is asked for is not to be answered with another. */
    private static Schedules.Failure inTheScheduleThatShowsIt(String strategy, Mutation mutation) {
        Long seed = SHOWN_BY.get(mutation);
        return seed == null || !strategy.equals(DrrsStrategy.NAME) || Long.getLong(SEED) != null
                ? null
                : Schedules.explore(SimStrategies.byName(strategy), 1, seed, mutation);
    }
}
