package dev.drrs.runtime.task;

import dev.drrs.flink.GateAccess;
import dev.drrs.flink.HookHolder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.PrioritizedDeque;
import org.apache.flink.runtime.io.network.partition.consumer.DrrsEndedInputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;

/**
 * An input gate some of whose producers may be dormant, and whose channels can be held one by one.
 * Hangs at the gate.
 *
 * <p>A channel that is still unknown when the task starts is not counted anywhere. When its
 * producer is activated, the channel becomes real in a thread of the TaskManager; it is held until
 * the mailbox has made it join, so that none of its elements is read before.
 *
 * <p>A channel may be held for several reasons at a time: it is read again when it has been resumed
 * as often as it was held.
 *
 * <p>Threads: {@code held} and {@code missed} are guarded by the gate's own lock over its channels
 * with data (netty threads queue channels), {@code known} by its request lock, {@code joined}
 * belongs to the mailbox.
 */
public final class ElasticInputGate {

    private final ElasticTask task;
    private final SingleInputGate gate;
    private final Object requestLock;
    private final PrioritizedDeque<InputChannel> withData;
    private final boolean[] known;
    private final boolean[] joined;
    private final boolean[] silent;
    private final int[] held;
    private final boolean[] missed;

    private ElasticInputGate(ElasticTask task, SingleInputGate gate) {
        this.task = task;
        this.gate = gate;
        requestLock = GateAccess.requestLock(gate);
        withData = GateAccess.withData(gate);
        int channels = gate.getNumberOfInputChannels();
        known = new boolean[channels];
        joined = new boolean[channels];
        silent = new boolean[channels];
        held = new int[channels];
        missed = new boolean[channels];
    }

    /**
     * Hangs a new one at the gate. In the task's thread, before the gate is read.
     *
     * @param ended by channel, whether its producer sends nothing any more; empty for none
     */
    static ElasticInputGate attach(ElasticTask task, SingleInputGate gate, boolean[] ended) {
        ElasticInputGate self = new ElasticInputGate(task, gate);
        synchronized (self.requestLock) {
            synchronized (self.withData) {
                self.silence(ended);
                for (int i = 0; i < self.known.length; i++) {
                    boolean unknown = self.isUnknown(i);
                    self.known[i] = !unknown;
                    self.joined[i] = !unknown;
                    self.held[i] = unknown ? 1 : 0;
                }
                self.restoreMap();
                ((HookHolder) gate).drrsHook(self);
            }
        }
        return self;
    }

    /**
     * Takes away the channels of producers that have ended: nobody is there to read from. If there
     * is no other one, the first brings the end of all.
     */
    private void silence(boolean[] ended) {
        int first = -1;
        boolean others = false;
        for (int i = 0; i < ended.length; i++) {
            if (ended[i] && !isUnknown(i)) {
                InputChannel old = gate.getChannel(i);
                replace(i, UnknownChannels.inPlaceOf(old, gate, task));
                GateAccess.release(old);
                silent[i] = true;
                first = first < 0 ? i : first;
            }
            others |= !isUnknown(i);
        }
        if (first >= 0 && !others) {
            GateAccess.addUninitialized(gate, -1);
            put(first, new DrrsEndedInputChannel(gate, gate.getChannel(first)));
        }
    }

    /** What hangs at the gate, or null. */
    static ElasticInputGate of(SingleInputGate gate) {
        return gate instanceof HookHolder holder ? (ElasticInputGate) holder.drrsHook() : null;
    }

    /** Whether the gate belongs to a task with dormant neighbours. */
    public static boolean isElastic(SingleInputGate gate) {
        return of(gate) != null;
    }

    ElasticTask task() {
        return task;
    }

    public int index() {
        return gate.getGateIndex();
    }

    public int channels() {
        return joined.length;
    }

    /**
     * Whether the channel takes part in the task: its producer is active and it has been made known
     * here.
     */
    public boolean joined(int channel) {
        return joined[channel];
    }

    /**
     * Whether the channel's producer had ended before this task was deployed. If it is joined
     * nevertheless it brings only its end.
     */
    public boolean silent(int channel) {
        return silent[channel];
    }

    /** Whether the end of all channels has been read. */
    boolean finished() {
        return gate.isFinished();
    }

    int absent() {
        int n = 0;
        for (boolean j : joined) {
            n += j ? 0 : 1;
        }
        return n;
    }

    /**
     * No element of the channel is read from now on, priority events excepted. What is left of the
     * buffer that is being read now still comes.
     */
    public void hold(int channel) {
        synchronized (withData) {
            held[channel]++;
            InputChannel toHold = gate.getChannel(channel);
            BitSet enqueued = GateAccess.enqueued(gate);
            if (enqueued.get(channel) && !withData.containsPriorityElement(toHold)) {
                withData.getAndRemove(c -> c == toHold);
                enqueued.clear(channel);
                missed[channel] = true;
            }
        }
    }

    /** The opposite of {@link #hold}. */
    public void resume(int channel) {
        boolean queue;
        synchronized (withData) {
            held[channel]--;
            queue = held[channel] == 0 && missed[channel];
            missed[channel] &= !queue;
        }
        if (queue) {
            GateAccess.queue(gate, gate.getChannel(channel));
        }
    }

    /**
     * Called from the gate under its lock, whenever a channel has data: whether it must not be
     * queued now.
     */
    public static boolean holdsBack(Object hook, InputChannel channel, boolean priority) {
        return hook != null
                && !priority
                && ((ElasticInputGate) hook).noteIfHeld(channel.getChannelIndex());
    }

    /**
     * Called from the gate before a channel of a producer becomes real, which takes network buffers
     * if that is on another TaskManager; in a thread of the TaskManager.
     */
    public static void updating(
            Object hook, ResourceID taskManager, NettyShuffleDescriptor producer) {
        if (hook != null && !producer.isLocalTo(taskManager)) {
            ElasticInputGate self = (ElasticInputGate) hook;
            self.task.buffers().channelOpens(self.index());
        }
    }

    /**
     * Called from the gate after channels of a producer may have become real; in a thread of the
     * TaskManager.
     */
    public static void updated(Object hook) {
        if (hook != null) {
            ((ElasticInputGate) hook).announceKnown();
        }
    }

    /**
     * Called from the gate before it counts the end of a channel: when this is the last real
     * channel, those of dormant producers have ended with it.
     */
    public static void ending(Object hook, Buffer event, InputChannel channel) {
        if (hook == null) {
            return;
        }
        ElasticInputGate self = (ElasticInputGate) hook;
        switch (event.getDataType()) {
            case END_OF_DATA -> self.endAbsentIfLast(GateAccess.endedData(self.gate), channel);
            case END_OF_PARTITION ->
                    self.endAbsentIfLast(GateAccess.endedPartitions(self.gate), channel);
            default -> {
                // not an end
            }
        }
    }

    /**
     * Called from the gate: channels that a checkpoint has to wait for, without those of dormant
     * producers.
     */
    public static List<InputChannelInfo> unfinished(Object hook, List<InputChannelInfo> found) {
        if (hook == null) {
            return found;
        }
        ElasticInputGate self = (ElasticInputGate) hook;
        return found.stream().filter(info -> self.joined[info.getInputChannelIdx()]).toList();
    }

    private boolean noteIfHeld(int channel) {
        if (held[channel] > 0) {
            missed[channel] = true;
            return true;
        }
        return false;
    }

    private void announceKnown() {
        List<Integer> fresh = new ArrayList<>();
        synchronized (requestLock) {
            restoreMap();
            for (int i = 0; i < known.length; i++) {
                if (!known[i] && !isUnknown(i)) {
                    known[i] = true;
                    fresh.add(i);
                }
            }
        }
        for (int channel : fresh) {
            task.executeIfRunning(() -> join(channel), "channel of an activated subtask joins");
        }
    }

    private void join(int channel) throws Exception {
        if (joined[channel]) {
            return;
        }
        joined[channel] = true;
        synchronized (withData) {
            GateAccess.endedData(gate).clear(channel);
            GateAccess.endedPartitions(gate).clear(channel);
        }
        task.joined(this, channel);
        resume(channel);
    }

    /**
     * The channel's producer has retired and its end was read: the channel is unknown again.
     * Mailbox thread.
     */
    void leave(int channel) throws Exception {
        InputChannel unknown = UnknownChannels.inPlaceOf(gate.getChannel(channel), gate, task);
        synchronized (requestLock) {
            synchronized (withData) {
                GateAccess.endedData(gate).clear(channel);
                GateAccess.endedPartitions(gate).clear(channel);
                GateAccess.lastPriority(gate)[channel] = Integer.MIN_VALUE;
                replace(channel, unknown);
                known[channel] = false;
                joined[channel] = false;
                held[channel] = 1;
                missed[channel] = false;
            }
        }
        task.left(this, channel);
    }

    private void replace(int channel, InputChannel unknown) {
        put(channel, unknown);
        GateAccess.addUninitialized(gate, 1);
    }

    private void put(int index, InputChannel channel) {
        GateAccess.channels(gate)[index] = channel;
        GateAccess.channelsByPartition(gate)
                .computeIfAbsent(channel.getPartitionId().getPartitionId(), id -> new HashMap<>())
                .put(channel.getChannelInfo(), channel);
    }

    private void endAbsentIfLast(BitSet ended, InputChannel channel) {
        synchronized (withData) {
            for (int i = 0; i < joined.length; i++) {
                if (joined[i] && i != channel.getChannelIndex() && !ended.get(i)) {
                    return;
                }
            }
            for (int i = 0; i < joined.length; i++) {
                if (!joined[i]) {
                    ended.set(i);
                }
            }
        }
    }

    /**
     * A second update for the same producer leaves its entry in the gate's map empty, and the
     * channel would be neither closed nor asked for again.
     */
    private void restoreMap() {
        Map<IntermediateResultPartitionID, Map<InputChannelInfo, InputChannel>> map =
                GateAccess.channelsByPartition(gate);
        for (int i = 0; i < known.length; i++) {
            InputChannel channel = gate.getChannel(i);
            map.computeIfAbsent(channel.getPartitionId().getPartitionId(), id -> new HashMap<>())
                    .putIfAbsent(channel.getChannelInfo(), channel);
        }
    }

    private boolean isUnknown(int channel) {
        return GateAccess.isUnknown(gate.getChannel(channel));
    }

    @Override
    public String toString() {
        return gate + ", " + absent() + " of " + joined.length + " channels dormant";
    }
}
