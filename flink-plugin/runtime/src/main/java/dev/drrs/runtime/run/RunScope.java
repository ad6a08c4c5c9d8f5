package dev.drrs.runtime.run;

import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.BeginRescale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.runtime.executiongraph.Execution;

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

    /**
     * Of a rescale that is to begin.
     *
     * @param undeliverable hears of tasks that cannot be reached
     */
    static RunScope of(
            ElasticJob job,
            ElasticVertex vertex,
            int number,
            Plan plan,
            SubscaleIds ids,
            StepSequence steps,
            BiConsumer<Execution, Throwable> undeliverable) {
        Neighbours neighbours = new Neighbours(job, vertex);
        TaskMessenger messenger = new TaskMessenger(job, undeliverable);
        return new RunScope(
                job,
                vertex,
                number,
                plan.subscales(ids::next),
                vertex.dormantAmong(plan.owners()),
                steps,
                neighbours,
                messenger,
                new Predecessors(job, neighbours, messenger, number, BeginRescale::new));
    }

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
