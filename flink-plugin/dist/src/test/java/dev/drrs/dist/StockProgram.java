package dev.drrs.dist;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.util.TestStreamEnvironment;

/**
 * A JVM with a small cluster that runs a job which is not elastic to its end, and says how many of
 * each key came out: every key as often, or it ends with an error.
 */
final class StockProgram {

    private static final int RECORDS = 2_000;

    /** What it prints in the end. */
    static final String DONE = "keys, each counted " + RECORDS / CountedNumbers.KEYS + " times";

    private StockProgram() {}

    public static void main(String[] arguments) throws Exception {
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setNumTaskManagers(2)
                                .setNumSlotsPerTaskManager(1)
                                .withRandomPorts()
                                .build());
        cluster.start();
        TestStreamEnvironment.setAsContext(cluster, 2);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(2);
        env.enableCheckpointing(50);
        CountedNumbers.define(env, "stock", RECORDS, 0);
        env.execute("stock");
        Map<Integer, Long> counts = CountedNumbers.results("stock");
        if (!counts.values().stream().allMatch(count -> count == RECORDS / CountedNumbers.KEYS)) {
            throw new IllegalStateException("counted " + counts);
        }
        cluster.close();
        System.out.println(counts.size() + " " + DONE);
        System.exit(0); // not held up by threads that a cluster leaves behind
    }
}
