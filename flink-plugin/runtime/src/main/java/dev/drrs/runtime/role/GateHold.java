package dev.drrs.runtime.role;

import dev.drrs.protocol.ResultOrder;
import dev.drrs.runtime.task.ElasticInputGate;
import java.util.function.IntConsumer;

/**
 * Channels of a gate wait for results of old owners. Mailbox thread only.
 *
 * @param whenPassed told of each subscale whose results have passed here
 */
record GateHold(ElasticInputGate gate, IntConsumer whenPassed) implements ResultOrder.Effects {

    @Override
    public void hold(int channel) {
        gate.hold(channel);
    }

    @Override
    public void resume(int channel) {
        gate.resume(channel);
    }

    @Override
    public void passed(int subscale) {
        whenPassed.accept(subscale);
    }
}
