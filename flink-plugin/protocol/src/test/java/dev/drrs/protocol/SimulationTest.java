package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;

/**
 * Random schedules of the whole protocol. {@code -Ddrrs.simulation.schedules=N} sets how many, {@code
 * -Ddrrs.simulation.seed=S} the first seed; a failure is replayed with its seed and one schedule.
 */
class SimulationTest {

    @Test
    void invariantsHoldInEverySchedule() {
        int schedules = Integer.getInteger("drrs.simulation.schedules", 10_000);
        long seed = Long.getLong("drrs.simulation.seed", 1);
        long begin = System.nanoTime();
        Schedules.Failure failure = Schedules.explore(schedules, seed, null);
        if (failure != null) {
            failure.cause().printStackTrace();
            fail(Schedules.replay(failure.seed(), null));
        }
        System.out.println(
                "simulation: " + schedules + " schedules from seed " + seed + " in " + (System.nanoTime() - begin) / 1_000_000 + " ms, 0 violations");
    }
}
