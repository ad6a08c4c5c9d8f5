package dev.drrs.runtime.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.request.Rescales;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.executiongraph.failover.NoRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With the strategies of Flink, in the order in which its failure handler asks them. */
class OwnFailuresTest {

    private static final Duration DELAY = Duration.ofHours(1);

    /** What exponential-delay says is what is left of it by the clock. */
    private static final long PASSED_MS = Duration.ofMinutes(5).toMillis();

    private static final Throwable OWN =
            new Exception(new RescaleFailedException("peer exchange 4 -> 0 broke", null));
    private static final Throwable FOREIGN = new Exception("of the user's function");

    private final ElasticVertex vertex =
            new ElasticVertex(new JobVertexID(), new OperatorID(), null, "one", 2, 4, 128);
    private final ElasticJob job =
            new ElasticJob(
                    new JobGraph("job"),
                    new Configuration(),
                    Map.of(vertex.id(), vertex),
                    List.of(),
                    Map.of(),
                    Rescales::new);

    /** One restart is allowed; with exponential-delay one within a delay counts as the same. */
    private static RestartBackoffTimeStrategy.Factory factory(String name) {
        Configuration options = new Configuration();
        options.set(RestartStrategyOptions.RESTART_STRATEGY, name);
        options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, DELAY);
        options.set(
                RestartStrategyOptions.RESTART_STRATEGY_FAILURE_RATE_MAX_FAILURES_PER_INTERVAL, 1);
        options.set(
                RestartStrategyOptions.RESTART_STRATEGY_FAILURE_RATE_FAILURE_RATE_INTERVAL, DELAY);
        options.set(RestartStrategyOptions.RESTART_STRATEGY_FAILURE_RATE_DELAY, DELAY);
        options.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, DELAY);
        options.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, DELAY);
        return RestartBackoffTimeStrategyFactoryLoader.createRestartBackoffTimeStrategyFactory(
                options, new Configuration(), true);
    }

    private RestartBackoffTimeStrategy apart(String name) {
        RestartBackoffTimeStrategy.Factory factory = factory(name);
        return OwnFailures.apart(factory.create(), factory, job);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exponential-delay", "fixed-delay", "failure-rate"})
    void theFirstFailureMayBeOurOwnAndDelaysTheRestartAsAnyOther(String name) {
        RestartBackoffTimeStrategy strategy = apart(name);
        assertThat(strategy.notifyFailure(OWN)).as("a new attempt").isTrue();
        assertThat(strategy.canRestart()).isTrue();
        assertDelay(strategy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exponential-delay", "fixed-delay", "failure-rate"})
    void ownAndForeignFailuresMayFollowOneAnother(String name) {
        RestartBackoffTimeStrategy strategy = apart(name);
        for (Throwable failure : List.of(FOREIGN, OWN, FOREIGN, OWN, OWN)) {
            strategy.notifyFailure(failure);
            assertDelay(strategy);
        }
        assertThat(strategy.canRestart()).as("the last one is our own").isTrue();
    }

    @ParameterizedTest
    @CsvSource({"exponential-delay, true", "fixed-delay, false", "failure-rate, false"})
    void ownFailuresUseUpNoRestart(String name, boolean secondIsTheSame) {
        RestartBackoffTimeStrategy strategy = apart(name);
        String untold = strategy.toString();
        for (int i = 0; i < 5; i++) {
            strategy.notifyFailure(OWN);
            assertThat(strategy.canRestart()).isTrue();
        }
        assertThat(strategy).hasToString(untold);

        assertThat(strategy.notifyFailure(FOREIGN)).isTrue();
        assertThat(strategy.canRestart()).isTrue();
        strategy.notifyFailure(FOREIGN);
        assertThat(strategy.canRestart()).isEqualTo(secondIsTheSame);
    }

    @Test
    void aJobWithoutRestartsIsNotRestartedForUsEither() {
        assertThat(apart("none")).isSameAs(NoRestartBackoffTimeStrategy.INSTANCE);
    }

    @Test
    void aFailureOfTheWholeJobIsNotThatOfTheTaskThatFailedBefore() {
        RestartBackoffTimeStrategy strategy = apart("fixed-delay");
        strategy.notifyFailure(FOREIGN);
        ExecutionVertexID fresh = new ExecutionVertexID(vertex.id(), 3);
        job.activating(fresh);
        job.failed(fresh);
        strategy.notifyFailure(new Exception("of the task"));
        assertThat(strategy.canRestart()).isTrue();
        strategy.notifyFailure(new Exception("of a coordinator"));
        assertThat(strategy.canRestart()).isFalse();
    }

    private static void assertDelay(RestartBackoffTimeStrategy strategy) {
        assertThat(strategy.getBackoffTime()).isCloseTo(DELAY.toMillis(), within(PASSED_MS));
    }
}
