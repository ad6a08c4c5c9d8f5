package dev.drrs.runtime.job;

import dev.drrs.protocol.ProtocolException;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.request.Recoveries;
import java.util.Optional;
import org.apache.flink.runtime.executiongraph.failover.NoRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.util.ExceptionUtils;

/**
 * A job's restart strategy that is not told of failures that a rescale has caused, or that a
 * subtask has while it is activated or retired: those do not use up the restarts that the job
 * allows. How often a rescale may fail is bounded by {@link Recoveries}. A job that allows no
 * restart at all is not restarted for us either.
 *
 * <p>Flink has a strategy told of a failure before it asks for the delay of that failure, and
 * exponential-delay throws if it has been told of none. So there is a second strategy of the job's
 * configuration: it is told of our failures only and says how long each of them delays the restart.
 * Main thread.
 */
public final class OwnFailures implements RestartBackoffTimeStrategy {

    private final RestartBackoffTimeStrategy strategy;
    private final RestartBackoffTimeStrategy ofOwn;
    private final ElasticJob job;
    private boolean lastIsOwn;

    private OwnFailures(
            RestartBackoffTimeStrategy strategy, RestartBackoffTimeStrategy ofOwn, ElasticJob job) {
        this.strategy = strategy;
        this.ofOwn = ofOwn;
        this.job = job;
    }

    /**
     * The strategy to go on with.
     *
     * @param factory of the job's strategy
     */
    public static RestartBackoffTimeStrategy apart(
            RestartBackoffTimeStrategy strategy,
            RestartBackoffTimeStrategy.Factory factory,
            ElasticJob job) {
        return strategy instanceof NoRestartBackoffTimeStrategy || strategy instanceof OwnFailures
                ? strategy
                : new OwnFailures(strategy, factory.create(), job);
    }

    /** Whether a rescale has caused the failure. */
    static boolean isOwn(Throwable failure) {
        return Optional.<Throwable>empty()
                .or(() -> ExceptionUtils.findThrowable(failure, RescaleFailedException.class))
                .or(() -> ExceptionUtils.findThrowable(failure, ProtocolException.class))
                .isPresent();
    }

    @Override
    public boolean canRestart() {
        return lastIsOwn || strategy.canRestart();
    }

    @Override
    public long getBackoffTime() {
        return (lastIsOwn ? ofOwn : strategy).getBackoffTime();
    }

    @Override
    public boolean notifyFailure(Throwable cause) {
        boolean inChange = job.takeFailedInChange();
        lastIsOwn = inChange || isOwn(cause);
        return (lastIsOwn ? ofOwn : strategy).notifyFailure(cause);
    }

    @Override
    public String toString() {
        return strategy.toString();
    }
}
