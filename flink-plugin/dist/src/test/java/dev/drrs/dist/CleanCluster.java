package dev.drrs.dist;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;

/** Tests on one cluster; one that fails leaves the slots of its job to the others. */
abstract class CleanCluster {

    private static final long POLL_MILLIS = 50; // a MiniCluster has nothing to wait for

    /** A cluster of this many TaskManagers, with so many slots each. */
    static MiniClusterExtension of(int taskManagers, int slots) {
        return new MiniClusterExtension(
                new MiniClusterResourceConfiguration.Builder()
                        .setConfiguration(options())
                        .setNumberTaskManagers(taskManagers)
                        .setNumberSlotsPerTaskManager(slots)
                        .build());
    }

    /**
     * With {@code -Ddrrs.test.copy-ahead=true} key groups are copied ahead wherever a test does not
     * say anything else.
     */
    private static Configuration options() {
        Configuration options = new Configuration();
        options.setString("drrs.rehearsal", "false"); // a test of it asks for it
        options.setString("drrs.copy-ahead", System.getProperty("drrs.test.copy-ahead", "false"));
        return options;
    }

    @AfterEach
    void cancelWhatIsLeft(@InjectMiniCluster MiniCluster cluster) throws Exception {
        for (JobStatusMessage job : cluster.listJobs().get()) {
            if (!job.getJobState().isGloballyTerminalState()) {
                cluster.cancelJob(job.getJobId()).get();
                while (!cluster.getJobStatus(job.getJobId()).get().isGloballyTerminalState()) {
                    Thread.sleep(POLL_MILLIS);
                }
            }
        }
    }
}
