package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.role.TaskExtensions;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.InBandEvent;
import dev.drrs.runtime.task.OutEdgeWriter;
import dev.drrs.runtime.task.TaskExtension;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.runtime.io.DataInputStatus;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What the rescale logic can do in a task, each thing on its own, in a job whose output is known.
 */
@Timeout(600)
class TaskExtensionITCase extends CleanCluster {

    private static final long NUMBERS = 8_000;
    private static final long PER_SECOND = 4_000;
    private static final Function<ElasticTask, TaskExtension> BEFORE = TaskExtensions.factory();

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    @AfterEach
    void restore() {
        TaskExtensions.factory(BEFORE);
    }

    /** Tells where in a channel it is. */
    public static final class Marker extends InBandEvent {
        private long recordsBefore;

        public Marker() {}

        Marker(long recordsBefore) {
            this.recordsBefore = recordsBefore;
        }

        @Override
        public void write(DataOutputView out) throws java.io.IOException {
            out.writeLong(recordsBefore);
        }

        @Override
        public void read(DataInputView in) throws java.io.IOException {
            recordsBefore = in.readLong();
        }
    }

    @Test
    void eventsKeepTheirPlaceAmongTheRecordsOfTheirChannel() throws Exception {
        List<String> wrong = new CopyOnWriteArrayList<>();
        List<Long> seen = new CopyOnWriteArrayList<>();
        TaskExtensions.factory(
                task -> {
                    if (isSource(task)) {
                        return new Periodic(task, 20) {
                            @Override
                            void act() throws Exception {
                                OutEdgeWriter output = task.outputs().get(0);
                                output.sendEvent(0, new Marker(sentTo(output, 0)));
                            }
                        };
                    }
                    long[] records = new long[64];
                    return new TaskExtension() {
                        @Override
                        public void onRunning() {
                            if (isSubtask(task, "count", 0)) {
                                task.inputs()
                                        .get(0)
                                        .elementHook(
                                                (element, channel, output) -> {
                                                    records[channel] += element.isRecord() ? 1 : 0;
                                                    return false;
                                                });
                            }
                        }

                        @Override
                        public DataInputStatus onInBandEvent(
                                InBandEvent event, ElasticInput input, int channel) {
                            long expected = ((Marker) event).recordsBefore;
                            seen.add(expected);
                            if (records[channel] != expected) {
                                wrong.add(
                                        "channel "
                                                + channel
                                                + ": "
                                                + records[channel]
                                                + " of "
                                                + expected);
                            }
                            return DataInputStatus.MORE_AVAILABLE;
                        }
                    };
                });

        run("markers");

        assertThat(wrong).isEmpty();
        assertThat(seen).hasSizeGreaterThan(20);
    }

    @Test
    void recordsFollowTheRoutingTable() throws Exception {
        Map<Integer, Long> bySubtask = new ConcurrentHashMap<>();
        TaskExtensions.factory(
                task ->
                        new TaskExtension() {
                            @Override
                            public void onRunning() {
                                if (isSource(task)) {
                                    routeAll(task, 1);
                                } else if (isVertex(task, "count")) {
                                    int subtask =
                                            task.environment()
                                                    .getTaskInfo()
                                                    .getIndexOfThisSubtask();
                                    task.inputs()
                                            .get(0)
                                            .elementHook(
                                                    (element, channel, output) -> {
                                                        if (element.isRecord()) {
                                                            bySubtask.merge(subtask, 1L, Long::sum);
                                                        }
                                                        return false;
                                                    });
                                }
                            }
                        });

        run("routed");

        assertThat(bySubtask).isEqualTo(Map.of(1, NUMBERS));
    }

    @Test
    void aHeldChannelIsNotReadUntilItIsResumed() throws Exception {
        List<String> wrong = new CopyOnWriteArrayList<>();
        List<Integer> resumed = new CopyOnWriteArrayList<>();
        TaskExtensions.factory(
                task ->
                        isVertex(task, "count")
                                ? new Periodic(task, 50) {
                                    private boolean held;
                                    private int grace;

                                    @Override
                                    public void onRunning() {
                                        super.onRunning();
                                        task.inputs()
                                                .get(0)
                                                .elementHook(
                                                        (element, channel, output) -> {
                                                            // What was left of the buffer at hand
                                                            // may still come.
                                                            if (held
                                                                    && channel == 0
                                                                    && ++grace > 1_000) {
                                                                wrong.add(
                                                                        "read from a held channel");
                                                            }
                                                            return false;
                                                        });
                                    }

                                    @Override
                                    void act() {
                                        if (held) {
                                            task.inputs().get(0).resume(0);
                                            resumed.add(0);
                                        } else {
                                            task.inputs().get(0).hold(0);
                                            grace = 0;
                                        }
                                        held = !held;
                                    }
                                }
                                : new TaskExtension() {});

        run("held");

        assertThat(wrong).isEmpty();
        assertThat(resumed).hasSizeGreaterThan(5);
    }

    @Test
    void aConsumerThatIsOpenedGetsTheCurrentWatermarkFirst() throws Exception {
        List<String> first = new CopyOnWriteArrayList<>();
        TaskExtensions.factory(
                task -> {
                    if (isSource(task)) {
                        return new Periodic(task, 500) {
                            private boolean opened;

                            @Override
                            public void onRunning() {
                                super.onRunning();
                                routeAll(task, 1);
                                try {
                                    task.outputs().get(0).close(0, new Marker(0));
                                } catch (java.io.IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            }

                            @Override
                            void act() throws Exception {
                                if (!opened) {
                                    opened = true;
                                    task.outputs().get(0).open(0);
                                }
                            }
                        };
                    }
                    return new TaskExtension() {
                        private final boolean[] told = new boolean[64];

                        @Override
                        public void onRunning() {
                            if (isSubtask(task, "count", 0)) {
                                task.inputs()
                                        .get(0)
                                        .elementHook(
                                                (element, channel, output) -> {
                                                    if (!told[channel]) {
                                                        told[channel] = true;
                                                        first.add(
                                                                element.isWatermark()
                                                                                && element.asWatermark()
                                                                                                .getTimestamp()
                                                                                        > 100
                                                                        ? "current watermark"
                                                                        : element.toString());
                                                    }
                                                    return false;
                                                });
                            }
                        }

                        @Override
                        public DataInputStatus onInBandEvent(
                                InBandEvent event, ElasticInput input, int channel) {
                            return DataInputStatus.MORE_AVAILABLE;
                        }
                    };
                });

        run("opened");

        assertThat(first).containsExactly("current watermark", "current watermark");
    }

    @Test
    void userCodeSeesTheNumberOfActiveSubtasks() throws Exception {
        TaskExtensions.factory(task -> new TaskExtension() {});

        run("parallelism");

        assertThat(CountedNumbers.parallelism("parallelism")).containsExactly(2);
    }

    private static void run(String name) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", "4");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        CountedNumbers.define(env, name, NUMBERS, PER_SECOND);
        env.execute(name);
        CountedNumbers.assertExact(name, NUMBERS);
    }

    private static boolean isSource(ElasticTask task) {
        return task.info().self() == null && !task.outputs().isEmpty();
    }

    private static boolean isVertex(ElasticTask task, String name) {
        return task.environment().getTaskInfo().getTaskName().startsWith(name);
    }

    private static boolean isSubtask(ElasticTask task, String name, int index) {
        return isVertex(task, name)
                && task.environment().getTaskInfo().getIndexOfThisSubtask() == index;
    }

    private static void routeAll(ElasticTask task, int owner) {
        OutEdgeWriter output = task.outputs().get(0);
        task.route(
                output.edge().dataSetId(),
                IntStream.range(0, output.routing().records().length).toArray(),
                owner);
    }

    private static long sentTo(OutEdgeWriter output, int subtask) {
        long[] records = output.routing().records();
        return IntStream.range(0, records.length)
                .filter(keyGroup -> output.routing().owner(keyGroup) == subtask)
                .mapToLong(keyGroup -> records[keyGroup])
                .sum();
    }

    /** Acts in the mailbox again and again while the task runs. */
    private abstract static class Periodic implements TaskExtension {
        private final ElasticTask task;
        private final long milliseconds;
        private ProcessingTimeService timers;

        Periodic(ElasticTask task, long milliseconds) {
            this.task = task;
            this.milliseconds = milliseconds;
        }

        abstract void act() throws Exception;

        @Override
        public void onRunning() {
            timers =
                    task.streamTask()
                            .getProcessingTimeServiceFactory()
                            .createProcessingTimeService(
                                    task.environment().getMainMailboxExecutor());
            next();
        }

        private void next() {
            timers.registerTimer(
                    timers.getCurrentProcessingTime() + milliseconds,
                    time -> {
                        act();
                        next();
                    });
        }
    }
}
