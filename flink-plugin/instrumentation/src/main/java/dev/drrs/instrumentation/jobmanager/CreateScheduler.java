package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;

/** How Flink makes the scheduler of a job: the same method in the factory of each kind. */
final class CreateScheduler {

    static final Member METHOD =
            Member.of(
                    "createInstance",
                    "(Lorg/slf4j/Logger;Lorg/apache/flink/streaming/api/graph/ExecutionPlan;"
                            + "Ljava/util/concurrent/Executor;Lorg/apache/flink/configuration/Configuration;"
                            + "Lorg/apache/flink/runtime/jobmaster/slotpool/SlotPoolService;"
                            + "Ljava/util/concurrent/ScheduledExecutorService;Ljava/lang/ClassLoader;"
                            + "Lorg/apache/flink/runtime/checkpoint/CheckpointRecoveryFactory;Ljava/time/Duration;"
                            + "Lorg/apache/flink/runtime/blob/BlobWriter;"
                            + "Lorg/apache/flink/runtime/metrics/groups/JobManagerJobMetricGroup;"
                            + "Ljava/time/Duration;Lorg/apache/flink/runtime/shuffle/ShuffleMaster;"
                            + "Lorg/apache/flink/runtime/io/network/partition/JobMasterPartitionTracker;"
                            + "Lorg/apache/flink/runtime/jobmaster/ExecutionDeploymentTracker;"
                            + "JLorg/apache/flink/runtime/concurrent/ComponentMainThreadExecutor;"
                            + "Lorg/apache/flink/runtime/rpc/FatalErrorHandler;"
                            + "Lorg/apache/flink/runtime/executiongraph/JobStatusListener;Ljava/util/Collection;"
                            + "Lorg/apache/flink/runtime/blocklist/BlocklistOperations;"
                            + ")Lorg/apache/flink/runtime/scheduler/SchedulerNG;");

    private CreateScheduler() {}
}
