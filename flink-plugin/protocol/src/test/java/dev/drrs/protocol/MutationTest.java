package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation finds what it is there to find. */
class MutationTest {

    private static final int ENOUGH = 40_000;

    @ParameterizedTest
    @EnumSource(Mutation.class)
    void aDeliberateBugIsCaught(Mutation mutation) {
        long seed = Long.getLong("drrs.simulation.seed", 1);
        Schedules.Failure failure = Schedules.explore(ENOUGH, seed, mutation);
        assertThat(failure)
                .as("%s in %d schedules from seed %d", mutation, ENOUGH, seed)
                .isNotNull();
        System.out.println(
                mutation
                        + " caught after "
                        + failure.schedules()
                        + " schedules: "
                        + failure.cause());
    }
}
