package dev.drrs.runtime.role;

import dev.drrs.protocol.Policies;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.message.Activated;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.FetchRest;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Untrack;
import dev.drrs.runtime.task.ElasticTask;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * What the gate of an owner hears of its subscales, from the coordinator and from predecessors.
 * Mailbox thread only.
 */
final class OwnerSubscales {

    private final OwnerInputs inputs;
    private final SubtaskGate<StreamRecord<?>> gate;
    private final OwnerState state;
    private final PeerLinks links;
    private final StateTransfer transfer;
    private final OwnerBroadcast broadcast;
    private final SubscaleTimes times;

    OwnerSubscales(
            OwnerInputs inputs,
            SubtaskGate<StreamRecord<?>> gate,
            OwnerState state,
            OwnerExchanges exchanges,
            OwnerBroadcast broadcast,
            SubscaleTimes times) {
        this.inputs = inputs;
        this.gate = gate;
        this.state = state;
        this.links = exchanges.links();
        this.transfer = exchanges.transfer();
        this.broadcast = broadcast;
        this.times = times;
    }

    void register(
            Handlers<ElasticTask, Exception> ofCoordinator, Handlers<Arrival, Exception> inBand) {
        ofCoordinator
                .on(Activated.class, (from, at) -> activated(at))
                .on(Configure.class, (from, configure) -> configure(configure))
                .on(Register.class, (from, register) -> register(register.move().subscale()))
                .on(
                        Aligned.class,
                        (from, aligned) ->
                                gate.aligned(aligned.subscale(), aligned.consumerClock()))
                .on(
                        Track.class,
                        (from, track) -> gate.track(track.move().subscale(), track.promised()))
                .on(Start.class, (from, start) -> start(start.subscale()))
                .on(FetchRest.class, (from, rest) -> gate.fetchRest(rest.subscale()))
                .on(Untrack.class, (from, untrack) -> gate.untrack(untrack.subscale()))
                .on(DropSubscale.class, (from, drop) -> drop(drop.subscale()));
        inBand.on(
                        ConfirmBarrier.class,
                        (at, confirm) -> confirm(inputs.channel(at), confirm.subscale()))
                .on(
                        SwitchBarrier.class,
                        (at, switched) -> gate.onSwitch(inputs.channel(at), switched.subscale()));
    }

    private void configure(Configure configure) {
        Policies policies = configure.policies();
        gate.configure(policies);
        transfer.stored().use(configure.folder(), policies.pullOrder().windowForTheRest());
        transfer.copies().rate(policies.copyAhead().rate());
    }

    private void activated(Activated at) {
        gate.activated(at.emitted(), at.assumed());
        if (!at.awaitsSubscale()) {
            gate.awaitNoSubscale();
        }
    }

    private void register(Subscale subscale) throws RescaleFailedException {
        links.needed(subscale.oldOwner());
        if (!state.timers().isOpen(subscale.id())) {
            state.timers().open(subscale.id(), subscale.keyGroups());
        }
        gate.register(subscale);
    }

    private void confirm(int channel, int subscale) {
        times.confirmed(subscale);
        gate.onConfirm(channel, subscale);
    }

    private void start(int subscale) {
        times.started(subscale);
        gate.start(subscale);
        // Nothing more comes on these channels until the subscale is settled.
        broadcast.channels().stream().forEach(channel -> gate.onConfirm(channel, subscale));
    }

    private void drop(int subscale) {
        gate.settledAtNewOwner(subscale);
        transfer.gone(subscale);
    }
}
