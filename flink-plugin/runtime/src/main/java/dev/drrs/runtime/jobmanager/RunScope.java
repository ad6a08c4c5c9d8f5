package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Subscale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.ConfigOption;

/**
 * What all steps of one rescale work with. Main thread.
 *
 * @param number distinguishes it from all other rescales of the JobMaster's life
 * @param subscales of the plan
 * @param fresh subtasks that it activates
 */
record RunScope(
        ElasticJob job,
        ElasticVertex vertex,
        int number,
        List<Subscale> subscales,
        List<Integer> fresh,
        StepSequence steps,
        Neighbours neighbours,
        TaskMessenger messenger,
        Predecessors predecessors) {

    <T> T option(ConfigOption<T> option) {
        return job.configuration().get(option);
    }

    void after(Duration limit, Runnable action) {
        after(limit.toMillis(), action);
    }

    void after(long millis, Runnable action) {
        job.mainThread().schedule(action, millis, TimeUnit.MILLISECONDS);
    }
}
