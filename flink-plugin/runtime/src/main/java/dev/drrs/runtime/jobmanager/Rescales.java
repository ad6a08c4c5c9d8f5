package dev.drrs.runtime.jobmanager;

import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;

/** The rescales of one job: the one under way and those that ended. Main thread. */
public final class Rescales {

    private final ElasticJob job;

    Rescales(ElasticJob job) {
        this.job = job;
    }

    /** The scheduler is known and runs. */
    void started() {
        job.gate().start(DrrsSchedulerAccess.mainThread(job.scheduler()));
    }

    /** A task of the job says something to the plug-in. */
    public void onTaskEvent(ExecutionAttemptID task, OperatorEvent event) {}

    void interrupted(String reason) {
        job.gate().reset();
    }
}
