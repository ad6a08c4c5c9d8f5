package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulation finds what it is there to find. */
class MutationTest {

    private static final int ENOUGH = 40_000;

    /** Each with each strategy there is. */
    static Stream<Arguments> mutations() {
        return Strategies.names().stream()
                .flatMap(
                        strategy ->
                                Arrays.stream(Mutation.values())
                                        .map(mutation -> Arguments.of(strategy, mutation)));
    }

    @ParameterizedTest
    @MethodSource("mutations")
    void aDeliberateBugIsCaught(String strategy, Mutation mutation) {
        long seed = Long.getLong("drrs.simulation.seed", 1);
        Schedules.Failure failure =
                Schedules.explore(SimStrategies.byName(strategy), ENOUGH, seed, mutation);
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
}
