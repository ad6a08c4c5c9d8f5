package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.checkpoint.CheckpointPlans;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.PendingCheckpointStats;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * Counts active subtasks in the statistics; with the ceiling a completed checkpoint would fail the
 * job.
 */
final class CheckpointStatistics extends WovenPoint {

    CheckpointStatistics() {
        super(
                "checkpoint-statistics",
                "org.apache.flink.runtime.checkpoint.DefaultCheckpointStatsTracker",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "reportPendingCheckpoint",
                                        "(JJLorg/apache/flink/runtime/checkpoint/CheckpointProperties;Ljava/util/Map;)Lorg/apache/flink/runtime/checkpoint/PendingCheckpointStats;"),
                                Pending.class)),
                List.of());
    }

    /** Replaces the counts. */
    public static final class Pending {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Argument(value = 3, readOnly = false) Map<JobVertexID, Integer> counts) {
            counts = CheckpointPlans.activeCounts(hook, counts);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Return PendingCheckpointStats pending) {
            CheckpointPlans.begun(hook, pending);
        }
    }
}
