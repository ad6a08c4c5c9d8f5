package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.InputAccess;
import dev.drrs.protocol.Valve;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.api.EndOfData;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;
import org.apache.flink.runtime.io.network.api.serialization.SpillingAdaptiveSpanningRecordDeserializer;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.DataInputStatus;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;

/**
 * One network input of a task: one gate, or a union of several. Hangs at the input's valve, which
 * Flink keeps when it replaces the input itself after recovery. Mailbox thread only.
 *
 * <p>Channels are counted through over all gates, in Flink's order (<em>flattened</em>).
 */
public final class ElasticInput {

    private final ElasticTask task;
    private final List<ElasticInputGate> gates;
    private final int[] offsetOfGate;
    private final EventTime eventTime;
    private final int channels;
    private final BitSet retiring = new BitSet();

    private AbstractStreamTaskNetworkInput<?, ?> networkInput;
    private RecordAttributesChannels recordAttributes;
    private ElementHook elementHook;

    private ElasticInput(ElasticTask task, List<ElasticInputGate> gates) {
        this.task = task;
        this.gates = gates;
        int highest = gates.stream().mapToInt(ElasticInputGate::index).max().orElseThrow();
        offsetOfGate = new int[highest + 1];
        int offset = 0;
        for (ElasticInputGate gate : gates) {
            offsetOfGate[gate.index()] = offset;
            offset += gate.channels();
        }
        channels = offset;
        EventTime special = task.extension().eventTime(this);
        eventTime = special == null ? new ChannelEventTime(newValve()) : special;
    }

    public ElasticTask task() {
        return task;
    }

    public List<ElasticInputGate> gates() {
        return gates;
    }

    /** Number of channels, those of dormant producers counted. */
    public int channels() {
        return channels;
    }

    public boolean joined(int channel) {
        ElasticInputGate gate = gateOf(channel);
        return gate.joined(channel - offsetOfGate[gate.index()]);
    }

    /** As {@link ElasticInputGate#silent}. */
    public boolean silent(int channel) {
        ElasticInputGate gate = gateOf(channel);
        return gate.silent(channel - offsetOfGate[gate.index()]);
    }

    public EventTime eventTime() {
        return eventTime;
    }

    public int flattened(int gateIndex, int channelIndex) {
        return offsetOfGate[gateIndex] + channelIndex;
    }

    public InputChannelInfo channel(int flattened) {
        ElasticInputGate gate = gateOf(flattened);
        return new InputChannelInfo(gate.index(), flattened - offsetOfGate[gate.index()]);
    }

    boolean has(ElasticInputGate gate) {
        return gates.contains(gate);
    }

    /** As {@link ElasticInputGate#hold}. */
    public void hold(int channel) {
        ElasticInputGate gate = gateOf(channel);
        gate.hold(channel - offsetOfGate[gate.index()]);
    }

    /** As {@link ElasticInputGate#resume}. */
    public void resume(int channel) {
        ElasticInputGate gate = gateOf(channel);
        gate.resume(channel - offsetOfGate[gate.index()]);
    }

    /**
     * From now on this hook sees each element of the input first.
     *
     * @param hook null for none: then the way of an element is Flink's own
     */
    public void elementHook(ElementHook hook) {
        elementHook = hook;
        if (networkInput != null) {
            ((HookHolder) networkInput).drrsHook(hook == null ? null : this);
        }
    }

    /**
     * Whether elements are there to be read. A channel that has just been held may count once more.
     */
    public boolean elementsWait() {
        return networkInput != null
                && networkInput.isAvailable()
                && !gates.stream().allMatch(ElasticInputGate::finished); // available for ever
    }

    /** A valve in which the channels of active producers are present that have not ended. */
    public Valve newValve() {
        List<Integer> absent = new ArrayList<>();
        for (int i = 0; i < channels; i++) {
            if (!joined(i) || silent(i)) {
                absent.add(i);
            }
        }
        Valve valve = new Valve(channels);
        absent.forEach(valve::remove);
        return valve;
    }

    /** The channel joins: counted by event time and record attributes. */
    void opened(int channel) throws Exception {
        eventTime.opened(channel);
        recordAttributes.opened();
    }

    void closed(int channel) throws Exception {
        eventTime.closed(channel);
        recordAttributes.closed(channel);
        deserializers()
                .put(
                        channel(channel),
                        new SpillingAdaptiveSpanningRecordDeserializer<>(
                                task.environment().getIOManager().getSpillingDirectoriesPaths()));
    }

    /** Flink drops the one of a channel that ends. */
    private Map<InputChannelInfo, RecordDeserializer<?>> deserializers() {
        return InputAccess.deserializers(networkInput);
    }

    /** Called from the constructor of a valve. */
    public static void valveCreated(StatusWatermarkValve valve, CheckpointedInputGate gate) {
        List<ElasticInputGate> gates = Gates.elastic(InputAccess.gate(gate));
        if (!gates.isEmpty()) {
            ElasticTask task = gates.get(0).task();
            ElasticInput input = new ElasticInput(task, gates);
            task.add(input);
            ((HookHolder) valve).drrsHook(input);
        }
    }

    /**
     * Called from the constructor of a network input: the first one, and the one that replaces it
     * after recovery.
     */
    public static void inputCreated(
            AbstractStreamTaskNetworkInput<?, ?> networkInput, StatusWatermarkValve valve) {
        ElasticInput self = (ElasticInput) ((HookHolder) valve).drrsHook();
        if (self != null) {
            self.networkInput = networkInput;
            self.recordAttributes = new RecordAttributesChannels(networkInput);
            self.recordAttributes.absent(
                    self.gates.stream().mapToInt(ElasticInputGate::absent).sum());
            self.elementHook(self.elementHook);
        }
    }

    /** Called from the valve; false if it is to work itself. */
    public static boolean watermark(Object hook, long timestamp, int channel, DataOutput<?> output)
            throws Exception {
        if (hook == null) {
            return false;
        }
        ((ElasticInput) hook).eventTime.watermark(channel, timestamp, output);
        return true;
    }

    /** Called from the valve; false if it is to work itself. */
    public static boolean status(Object hook, boolean idle, int channel, DataOutput<?> output)
            throws Exception {
        if (hook == null) {
            return false;
        }
        ((ElasticInput) hook).eventTime.status(channel, idle, output);
        return true;
    }

    /**
     * Called from the network input for each element.
     *
     * @param hook what hangs at the network input: this, or null if there is no element hook
     * @return whether the element was taken
     */
    public static boolean take(
            Object hook, StreamElement element, InputChannelInfo channel, DataOutput<?> output)
            throws Exception {
        if (hook == null) {
            return false;
        }
        ElasticInput self = (ElasticInput) hook;
        return self.elementHook.take(
                element,
                self.flattened(channel.getGateIdx(), channel.getInputChannelIdx()),
                output);
    }

    /**
     * Called from the network input for each event.
     *
     * @return what the input is to report, null if the event is one of Flink's
     */
    public static DataInputStatus event(StatusWatermarkValve valve, BufferOrEvent bufferOrEvent)
            throws Exception {
        ElasticInput self = (ElasticInput) ((HookHolder) valve).drrsHook();
        if (self == null) {
            return null;
        }
        InputChannelInfo info = bufferOrEvent.getChannelInfo();
        int channel = self.flattened(info.getGateIdx(), info.getInputChannelIdx());
        if (bufferOrEvent.getEvent() instanceof ProducerRetired) {
            self.retiring.set(channel);
            self.task.extension().onProducerRetired();
            return DataInputStatus.MORE_AVAILABLE;
        }
        if (bufferOrEvent.getEvent() instanceof InBandEvent event) {
            return self.task.extension().onInBandEvent(event, self, channel);
        }
        if (bufferOrEvent.getEvent() instanceof EndOfData) {
            self.task.extension().onEndOfData(self, channel);
        }
        if (bufferOrEvent.getEvent() == EndOfPartitionEvent.INSTANCE
                && self.retiring.get(channel)) {
            self.retiring.clear(channel);
            // When Flink is through with the event.
            self.task.execute(
                    () -> self.gateOf(channel).leave(info.getInputChannelIdx()),
                    "producer has retired");
        }
        return null;
    }

    private ElasticInputGate gateOf(int channel) {
        int rest = channel;
        for (ElasticInputGate gate : gates) {
            if (rest < gate.channels()) {
                return gate;
            }
            rest -= gate.channels();
        }
        throw new IndexOutOfBoundsException("channel " + channel + " of " + channels);
    }
}
