package dev.drrs.runtime.role;

import dev.drrs.protocol.CombinedValve;
import dev.drrs.protocol.EventClock;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElementHook;
import java.util.List;

/**
 * The network inputs of a task of an elastic vertex as one: their channels are counted through,
 * those of the first input first. Mailbox thread only.
 */
final class OwnerInputs {

    private final List<ElasticInput> inputs;
    private final int[] firstOf;
    private final int[] inputOf;

    /**
     * @param inputs in Flink's order
     */
    OwnerInputs(List<ElasticInput> inputs) {
        this.inputs = List.copyOf(inputs);
        firstOf = new int[inputs.size()];
        inputOf = new int[inputs.stream().mapToInt(ElasticInput::channels).sum()];
        int channel = 0;
        for (int input = 0; input < firstOf.length; input++) {
            firstOf[input] = channel;
            for (int i = 0; i < inputs.get(input).channels(); i++) {
                inputOf[channel++] = input;
            }
        }
    }

    int count() {
        return firstOf.length;
    }

    int channels() {
        return inputOf.length;
    }

    int inputOf(int channel) {
        return inputOf[channel];
    }

    /** Number of the input's first channel. */
    int firstOf(int input) {
        return firstOf[input];
    }

    /** Number of a channel of one input among all. */
    int channel(ElasticInput input, int channel) {
        return firstOf[inputs.indexOf(input)] + channel;
    }

    /** Number of the channel on which something has come. */
    int channel(Arrival at) {
        return channel(at.input(), at.channel());
    }

    boolean joined(int channel) {
        return inputs.get(inputOf[channel]).joined(within(channel));
    }

    /** As {@link ElasticInput#silent}. */
    boolean silent(int channel) {
        return inputs.get(inputOf[channel]).silent(within(channel));
    }

    /** As {@link ElasticInput#elementsWait}, on one of them. */
    boolean elementsWait() {
        for (ElasticInput input : inputs) {
            if (input.elementsWait()) {
                return true;
            }
        }
        return false;
    }

    void hold(int channel) {
        inputs.get(inputOf[channel]).hold(within(channel));
    }

    void resume(int channel) {
        inputs.get(inputOf[channel]).resume(within(channel));
    }

    /** As {@link ElasticInput#elementHook}, for all of them; the hook gets channels of all. */
    void elementHook(ElementHook hook) {
        for (int input = 0; input < firstOf.length; input++) {
            int first = firstOf[input];
            inputs.get(input)
                    .elementHook(
                            hook == null || first == 0
                                    ? hook
                                    : (element, channel, output) ->
                                            hook.take(element, first + channel, output));
        }
    }

    /** A clock in which the channels of active producers are present that have not ended. */
    EventClock newClock() {
        if (inputs.size() == 1) {
            return inputs.get(0).newValve();
        }
        CombinedValve clock =
                new CombinedValve(inputs.stream().mapToInt(ElasticInput::channels).toArray());
        for (int channel = 0; channel < inputOf.length; channel++) {
            if (!joined(channel) || silent(channel)) {
                clock.remove(channel);
            }
        }
        return clock;
    }

    private int within(int channel) {
        return channel - firstOf[inputOf[channel]];
    }
}
