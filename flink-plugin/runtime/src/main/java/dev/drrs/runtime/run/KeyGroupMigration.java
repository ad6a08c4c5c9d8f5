package dev.drrs.runtime.run;

import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Policies;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.message.ConsumerAligned;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ResultsMayBegin;
import dev.drrs.runtime.message.ResultsPassed;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Lets the {@link Migration} move the key groups, or back those that it has moved. Predecessors
 * that come to the end of their data meanwhile are let go between two subscales, and the rest goes
 * on without them. Main thread.
 */
final class KeyGroupMigration implements Step {

    private final RunScope scope;
    private final BroadcastPause broadcast;
    private final HeldCheckpoints checkpoints;
    private final RunFigures figures;
    private final Migration migration;

    /**
     * @param policies say when subscales are registered and started
     */
    KeyGroupMigration(
            RunScope scope,
            Policies policies,
            SubscaleIds ids,
            BroadcastPause broadcast,
            HeldCheckpoints checkpoints,
            RunFigures figures) {
        this.scope = scope;
        this.figures = figures;
        this.broadcast = broadcast;
        this.checkpoints = checkpoints;
        int consumers = scope.neighbours().consumers().size();
        this.migration =
                new Migration(
                        scope.vertex().placement(),
                        scope.subscales(),
                        new Nodes(scope.neighbours())::of,
                        policies,
                        consumers,
                        consumers + scope.job().followers(scope.vertex()).size(),
                        scope.job().hasUnalignedCheckpoints(),
                        ids::next,
                        broadcast,
                        new MigrationMessages(
                                scope, figures.turns(), this::onRound, this::finished));
    }

    Migration.Progress progress() {
        return migration.progress();
    }

    @Override
    public Phase phase() {
        return Phase.MIGRATING;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(
                        ConsumerAligned.class,
                        (task, aligned) ->
                                migration.onConsumerAligned(aligned.subscale(), aligned.clock()))
                .on(ResultsPassed.class, this::onResultsPassed)
                .on(GateReported.class, (task, reported) -> onReport(reported));
    }

    @Override
    public void begin() {
        if (scope.predecessors().anyWaits()) {
            migration.pause();
        }
        checkpoints.begin(migration::fetchRest);
        migration.begin();
        letEndIfQuiet();
    }

    /** What has started is finished, and on the way back moved back. */
    @Override
    public boolean turn(Course course) {
        if (course == Course.BACK) {
            checkpoints.begin(migration::fetchRest); // it may have ended on the way forward
            migration.abort();
        } else {
            migration.stop();
            endIfStill();
        }
        return true;
    }

    @Override
    public void onEndWaits() {
        migration.pause();
        letEndIfQuiet();
    }

    private void letEndIfQuiet() {
        Predecessors predecessors = scope.predecessors();
        if (scope.steps().isAt(this)
                && predecessors.anyWaits()
                && scope.steps().course() != Course.INPUTS_ENDED
                && migration.isQuiet()) {
            predecessors.release(
                    () -> {
                        if (!predecessors.anyWaits()) {
                            migration.resume();
                        }
                    });
        }
    }

    private void onRound() {
        if (scope.steps().isAt(this)) {
            migration.onRound();
        }
    }

    private void onReport(GateReported reported) {
        figures.addMoved(reported.keyGroups(), reported.bytes());
        migration.onReports(reported.reports());
        goOnIfSettled();
        letEndIfQuiet();
        endIfStill();
    }

    private void onResultsPassed(Execution task, ResultsPassed results) {
        for (int id : results.subscales()) {
            Subscale subscale = migration.onResultsPassed(id);
            Neighbours neighbours = scope.neighbours();
            if (subscale != null && neighbours.isInGroup(task.getVertex().getJobvertexId())) {
                scope.messenger()
                        .send(
                                neighbours.sameMember(task, subscale.newOwner()),
                                new ResultsMayBegin(id));
            }
        }
        goOnIfSettled();
        endIfStill();
    }

    /**
     * Subscales that are settled may wait for event time to join, also for that of the broadcast
     * inputs. From here on key groups cannot be moved back.
     */
    private void goOnIfSettled() {
        if (!scope.steps().isAt(this)) {
            return;
        }
        Course course = scope.steps().course();
        if (course == Course.BACK && !migration.isSettled()) {
            checkpoints.begin(migration::fetchRest);
        } else if (course == Course.BACK) {
            checkpoints.end(); // what is settled waits for event time before it moves back
        } else if (course == Course.FORWARD && migration.isSettled()) {
            checkpoints.end();
            broadcast.end(true);
        }
    }

    private void finished() {
        if (scope.steps().course() != Course.INPUTS_ENDED) { // else it ends as soon as it is still
            checkpoints.end();
            scope.steps().done(this);
        }
    }

    private void endIfStill() {
        if (scope.steps().course() == Course.INPUTS_ENDED && migration.isStill()) {
            checkpoints.end();
            scope.steps().done(this);
        }
    }
}
