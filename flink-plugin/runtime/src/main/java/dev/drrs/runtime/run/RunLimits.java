package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.RescaleFailedException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;

/**
 * How long a rescale may be at something. A phase that takes longer is given up, and if that takes
 * as long again the job goes back to its last checkpoint. Main thread.
 */
final class RunLimits {

    private final RunScope scope;
    private final String requestId;
    private final RescaleLifecycle lifecycle;
    private final Deployment deployment;
    private final Consumer<String> abort;

    /**
     * @param abort gets the reason
     */
    RunLimits(
            RunScope scope,
            String requestId,
            RescaleLifecycle lifecycle,
            Deployment deployment,
            Consumer<String> abort) {
        this.scope = scope;
        this.requestId = requestId;
        this.lifecycle = lifecycle;
        this.deployment = deployment;
        this.abort = abort;
    }

    /** The rescale has come to the phase. */
    void begin(Phase begun) {
        if (begun == Phase.PROVISIONING) {
            abortAfter(DrrsOptions.PROVISIONING_TIMEOUT, begun);
        } else if (begun == Phase.MIGRATING) {
            abortAfter(DrrsOptions.MIGRATION_TIMEOUT, begun);
        } // a retirement ends itself
    }

    private void abortAfter(ConfigOption<Duration> option, Phase begun) {
        Duration limit = scope.option(option);
        scope.after(
                limit,
                () -> {
                    if (lifecycle.phase() == begun) {
                        abort.accept(describe(begun, limit, option.key()));
                    }
                });
    }

    /** The rescale is given up in the phase it is in. */
    void beginToGiveUp() {
        failAfter(
                lifecycle.phase() == Phase.MIGRATING
                        ? DrrsOptions.MIGRATION_TIMEOUT
                        : DrrsOptions.PROVISIONING_TIMEOUT);
    }

    /** All inputs have ended. */
    void beginToEnd() {
        failAfter(DrrsOptions.MIGRATION_TIMEOUT);
    }

    private void failAfter(ConfigOption<Duration> option) {
        scope.after(scope.option(option), this::failIfStuck);
    }

    /**
     * A section that does not end would hold up all checkpoints: an ordinary failover goes back to
     * the last one.
     */
    void failIfStuck() {
        StepSequence steps = scope.steps();
        if (!steps.isOver() && !steps.hasOwnLimit()) {
            String what = steps.reason() == null ? "it retires" : steps.reason();
            scope.neighbours()
                    .active()
                    .get(0)
                    .fail(
                            new RescaleFailedException(
                                    "Rescale " + requestId + " does not come to its end: " + what));
        }
    }

    private String describe(Phase begun, Duration limit, String option) {
        String what = begun + " took longer than " + limit.toMillis() + " ms (" + option + ")";
        Set<ExecutionVertex> silent = deployment.silent();
        if (silent.isEmpty()) {
            return what;
        }
        Execution first = silent.iterator().next().getCurrentExecutionAttempt();
        return what
                + "; the plug-in does not answer on TaskManager "
                + first.getAssignedResourceLocation().getResourceID();
    }
}
