package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.ScratchState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.SystemClock;

/**
 * {@link ScratchState} in a heap backend: a value, a map and a list a key, and event-time timers.
 */
final class HeapScratch implements ScratchState, KeyContext, Triggerable<String, VoidNamespace> {

    private static final int KEY_GROUPS = 128;
    private static final int QUEUE_CAPACITY = 128;
    private static final int FIELDS = 4;
    private static final String TEXT = "what a key may well have in its state, and a bit more";

    private final CloseableRegistry closeables = new CloseableRegistry();
    private final HeapKeyedStateBackend<String> backend;
    private final InternalTimeServiceManagerImpl<String> manager;
    private final InternalTimerService<VoidNamespace> timers;
    private final HeapMovableState movable;
    private long fired;

    HeapScratch(int chunkBytes) throws Exception {
        KeyGroupRange all = KeyGroupRange.of(0, KEY_GROUPS - 1);
        ClassLoader loader = HeapScratch.class.getClassLoader();
        HeapPriorityQueueSetFactory queues =
                new HeapPriorityQueueSetFactory(all, KEY_GROUPS, QUEUE_CAPACITY);
        backend =
                new HeapKeyedStateBackendBuilder<>(
                                null, // nobody queries it
                                StringSerializer.INSTANCE,
                                loader,
                                KEY_GROUPS,
                                all,
                                new ExecutionConfig(),
                                TtlTimeProvider.DEFAULT,
                                LatencyTrackingStateConfig.disabled(),
                                SizeTrackingStateConfig.disabled(),
                                List.of(),
                                UncompressedStreamCompressionDecorator.INSTANCE,
                                LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED,
                                queues,
                                true,
                                closeables)
                        .build();
        manager =
                InternalTimeServiceManagerImpl.create(
                        UnregisteredMetricGroups.createUnregisteredTaskMetricGroup()
                                .getIOMetricGroup(),
                        backend,
                        all,
                        loader,
                        this,
                        new NoProcessingTime(),
                        List.of(),
                        StreamTaskCancellationContext.alwaysRunning());
        timers =
                manager.getInternalTimerService(
                        "timers",
                        StringSerializer.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        this);
        movable = new HeapMovableState(backend, manager, chunkBytes);
    }

    @Override
    public int keyGroups() {
        return KEY_GROUPS;
    }

    @Override
    public MovableState movable() {
        return movable;
    }

    @Override
    public void process(String key, long timer) throws Exception {
        backend.setCurrentKey(key);
        ValueState<String> value =
                state(new ValueStateDescriptor<>("value", StringSerializer.INSTANCE));
        MapState<Long, String> map =
                state(
                        new MapStateDescriptor<>(
                                "map", LongSerializer.INSTANCE, StringSerializer.INSTANCE));
        ListState<Long> list = state(new ListStateDescriptor<>("list", LongSerializer.INSTANCE));
        value.update(value.value() == null ? key : key + TEXT);
        map.put(timer % FIELDS, TEXT);
        list.add(timer);
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, timer);
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    @Override
    public void watermark(long clock) throws Exception {
        manager.advanceWatermark(new Watermark(clock));
    }

    @Override
    public void onEventTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        fired++;
    }

    @Override
    public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) {
        throw new IllegalStateException("no timer of processing time was set");
    }

    @Override
    public int entries() {
        return backend.numKeyValueStateEntries();
    }

    @Override
    public long fired() {
        return fired;
    }

    @Override
    public void setCurrentKey(Object key) {
        backend.setCurrentKey((String) key);
    }

    @Override
    public Object getCurrentKey() {
        return backend.getCurrentKey();
    }

    @Override
    public void close() throws Exception {
        closeables.close();
        backend.dispose();
    }

    /** No timer is registered with it. */
    private static final class NoProcessingTime implements ProcessingTimeService {

        @Override
        public Clock getClock() {
            return SystemClock.getInstance();
        }

        @Override
        public ScheduledFuture<?> registerTimer(long time, ProcessingTimeCallback target) {
            throw none();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(
                ProcessingTimeCallback callback, long initialDelay, long period) {
            throw none();
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(
                ProcessingTimeCallback callback, long initialDelay, long period) {
            throw none();
        }

        @Override
        public CompletableFuture<Void> quiesce() {
            return CompletableFuture.completedFuture(null);
        }

        private static UnsupportedOperationException none() {
            return new UnsupportedOperationException("there is no processing time here");
        }
    }
}
