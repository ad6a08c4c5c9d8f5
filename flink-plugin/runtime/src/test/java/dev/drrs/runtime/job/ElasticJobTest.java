package dev.drrs.runtime.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.request.Rescales;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.concurrent.ManuallyTriggeredScheduledExecutor;
import org.junit.jupiter.api.Test;

class ElasticJobTest {

    private static final int CEILING = 4;
    private static final int DORMANT = 3;

    private final ElasticVertex one = vertex("one");
    private final ElasticVertex other = vertex("other");
    private final FollowerVertex follower =
            new FollowerVertex(new JobVertexID(), new OperatorID(), null, "follower", 128, one);
    private final ElasticJob job =
            new ElasticJob(
                    new JobGraph("job"),
                    new Configuration(),
                    Map.of(one.id(), one, other.id(), other),
                    List.of(follower),
                    Map.of(),
                    Rescales::new);

    private static ElasticVertex vertex(String name) {
        return new ElasticVertex(new JobVertexID(), new OperatorID(), null, name, 2, CEILING, 128);
    }

    @Test
    void afterAFailoverNoSubtaskOfTheGroupIsActivatedOrRetiredAnyMore() {
        for (JobVertexID id : List.of(one.id(), follower.id(), other.id())) {
            job.activating(new ExecutionVertexID(id, DORMANT));
            job.retiring(new ExecutionVertexID(id, 0));
        }
        job.forgetChanges(one);
        for (JobVertexID id : List.of(one.id(), follower.id())) {
            assertThat(job.isDormant(new ExecutionVertexID(id, DORMANT))).isTrue();
            assertThat(job.isRetiring(new ExecutionVertexID(id, 0))).isFalse();
        }
        assertThat(job.isDormant(new ExecutionVertexID(other.id(), DORMANT))).isFalse();
        assertThat(job.isRetiring(new ExecutionVertexID(other.id(), 0))).isTrue();
    }

    /**
     * A rescale that is complete is nobody's to interrupt; what piled up for it is gone as well.
     */
    @Test
    void aFailoverLetsACheckpointGoThatIsHeldBehindACompletedRescale() {
        Runnable awaited = () -> {};
        ManuallyTriggeredScheduledExecutor main = new ManuallyTriggeredScheduledExecutor();
        job.gate().start(main, Duration.ofHours(1), Duration.ofHours(1));
        job.gate().movingBegins(awaited);
        assertThat(job.gate().mayStart(true)).isFalse();
        job.gate().movingEnds(awaited);
        int looks = main.numQueuedRunnables();
        job.interrupted(one, "a task failed");
        assertThat(main.numQueuedRunnables()).isEqualTo(looks + 1);
    }
}
