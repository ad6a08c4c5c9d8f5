package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A job that is not elastic, on a cluster with the plug-in. */
class StockJobITCase extends CleanCluster {

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    @Test
    void runsAsOnStockFlink() throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(2);
        env.enableCheckpointing(50);
        CountedNumbers.define(env, "stock", 20_000, 20_000);
        env.execute("stock");
        assertThat(CountedNumbers.results("stock"))
                .hasSize(CountedNumbers.KEYS)
                .allSatisfy((key, count) -> assertThat(count).isEqualTo(400));
    }
}
