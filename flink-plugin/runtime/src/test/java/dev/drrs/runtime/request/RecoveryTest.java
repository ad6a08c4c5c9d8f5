package dev.drrs.runtime.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.DrrsStrategy;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.StrategyChoice;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.Test;

class RecoveryTest {

    private final ElasticVertex vertex =
            new ElasticVertex(new JobVertexID(), new OperatorID(), "count", "count", 2, 8, 8);

    @Test
    void theOptionsOfTheRequestGoOnUnderTheNextJobManager() {
        Map<String, String> ofJob =
                Map.of(DrrsStrategy.PULL_WINDOW, "9", "other", "setting of the job");
        StrategyChoice strategy =
                StrategyChoice.of(
                        new DrrsStrategy(), Map.of(DrrsStrategy.SUBSCALE_CONCURRENCY, "7"), ofJob);
        int[] wanted = {0, 0, 0, 2, 1, 1, 1, 2};
        RescalePart part =
                new RescalePart(
                        vertex,
                        new RescaleRun.Order(
                                "r1",
                                3,
                                strategy,
                                null,
                                Recovery.plan(vertex.placement(), wanted, strategy)));
        Recovery before = Recovery.after(part, "r1", vertex.placement(), true);

        RescaleRun.Order after = Recovery.of(vertex, before.kept(), ofJob).order();

        assertThat(after.strategy()).isEqualTo(strategy);
        assertThat(after.strategy().configure(null))
                .isEqualTo(
                        new Configure(
                                "drrs",
                                Map.of(
                                        DrrsStrategy.SUBSCALE_CONCURRENCY, "7",
                                        DrrsStrategy.PULL_WINDOW, "9")));
        assertThat(after.strategy().configure(null).policies().pullOrder().window()).isEqualTo(9);
        assertThat(after.requestId()).isEqualTo("r1-after-failover-1");
        assertThat(after.plan().placement()).isEqualTo(wanted);
    }
}
