package dev.drrs.runtime.run;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.KeepEndOfData;
import dev.drrs.runtime.message.OfRescale;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Keeps the end of all data from a vertex, so that one more rescale of it may come before. Its last
 * predecessors wait when they have sent all but that; those that end sooner are let go at once.
 * Main thread.
 */
public final class EndKeeper {

    private final ElasticVertex vertex;
    private final int number;
    private final Predecessors predecessors;
    private final Handlers<Execution, RuntimeException> events =
            new Handlers<>(task -> "of task " + task.getVertexWithAttempt());
    private boolean over;

    /**
     * @param number distinguishes it from the job's rescales and other keepers
     * @param allWait called when nothing but the end is to come; maybe more than once
     */
    public EndKeeper(ElasticJob job, ElasticVertex vertex, int number, Runnable allWait) {
        this.vertex = vertex;
        this.number = number;
        LostTasks<Execution> lost = new LostTasks<>(new RunTasks(job, () -> over, this::onGone));
        this.predecessors =
                new Predecessors(
                        job,
                        new Neighbours(job, vertex),
                        new TaskMessenger(job, lost::add),
                        number,
                        KeepEndOfData::new);
        predecessors.hear(
                events,
                () -> {
                    if (allWait()) {
                        allWait.run();
                    } else {
                        predecessors.release(() -> {});
                    }
                });
    }

    public ElasticVertex vertex() {
        return vertex;
    }

    public int number() {
        return number;
    }

    /** Asks the predecessors that have not been asked yet. */
    public void askNew() {
        predecessors.askNew();
    }

    /** Whether nothing is to come any more, but for the end that is kept. */
    public boolean allWait() {
        return predecessors.anyWaits() && predecessors.allEnd();
    }

    /** A task says something under its number. */
    public void onEvent(Execution task, OfRescale event) {
        events.handle(task, event);
    }

    /** A task has ended by itself. */
    public boolean onGone(Execution task) {
        return predecessors.onGone(task);
    }

    /** Lets all go. */
    public void end() {
        over = true;
        predecessors.releaseAll();
    }

    /** A failover has made new tasks. */
    public void interrupted() {
        over = true;
    }
}
