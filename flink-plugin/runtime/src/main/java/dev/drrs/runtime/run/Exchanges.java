package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OpenReader;
import dev.drrs.runtime.message.OpenWriter;
import dev.drrs.runtime.message.PeerLink;
import dev.drrs.runtime.message.ReaderReady;
import dev.drrs.runtime.message.WriterReady;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Opens the exchanges between old and new owners, both directions of each, as soon as the
 * predecessors take part. It is done once the new subtasks stand still on broadcast inputs as well.
 * Main thread.
 */
final class Exchanges implements Step {

    private static final String NO_STORAGE =
            "the storage that its state is to go through is not known any more";

    private final RunScope scope;
    private final Configure configure;
    private final BroadcastPause broadcast;
    private final Set<PeerLink> writersToOpen = new HashSet<>();
    private final Set<PeerLink> readersToOpen = new HashSet<>();
    private final Set<Integer> owners = new TreeSet<>();

    /**
     * @param configure tells owners how this rescale goes about it
     */
    Exchanges(RunScope scope, Configure configure, BroadcastPause broadcast) {
        this.scope = scope;
        this.configure = configure;
        this.broadcast = broadcast;
    }

    /** Old and new owners that have been told to open exchanges. */
    Set<Integer> owners() {
        return owners;
    }

    @Override
    public Phase phase() {
        return Phase.PROVISIONING;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(WriterReady.class, (task, ready) -> onWriterReady(ready))
                .on(ReaderReady.class, (task, ready) -> onReaderReady(ready));
    }

    @Override
    public void begin() {
        scope.predecessors().begin(this::open);
    }

    private void open() {
        if (!scope.steps().isAt(this)) {
            return;
        }
        if (scope.neighbours().predecessors().isEmpty()) {
            scope.steps().giveUp(this, RescaleSteps.INPUT_ENDED);
        }
        if (configure.lacksFolder()) { // what follows a failover has not been asked for it
            scope.steps().giveUp(this, NO_STORAGE);
        }
        if (scope.steps().course() != Course.FORWARD) { // maybe since the predecessors were asked
            scope.steps().done(this);
            return;
        }
        scope.messenger().send(scope.neighbours().active(), configure);
        for (Subscale subscale : scope.subscales()) {
            PeerLink link = new PeerLink(scope.number(), subscale.oldOwner(), subscale.newOwner());
            writersToOpen.add(link);
            writersToOpen.add(link.back());
            owners.add(subscale.oldOwner());
            owners.add(subscale.newOwner());
        }
        if (!scope.subscales().isEmpty() && scope.option(DrrsOptions.EXCHANGE_PROBE) > 0) {
            Subscale first = scope.subscales().get(0);
            writersToOpen.add(
                    new PeerLink(scope.number(), first.oldOwner(), first.newOwner(), true));
        }
        readersToOpen.addAll(writersToOpen);
        for (PeerLink link : List.copyOf(writersToOpen)) {
            send(link.from(), new OpenWriter(link));
        }
        goOnIfOpen();
    }

    private void onWriterReady(WriterReady ready) {
        if (writersToOpen.remove(ready.link())) {
            send(ready.link().to(), new OpenReader(ready.link(), ready.address()));
        }
    }

    private void onReaderReady(ReaderReady ready) {
        if (readersToOpen.remove(ready.link())) {
            goOnIfOpen();
        }
    }

    private void goOnIfOpen() {
        if (readersToOpen.isEmpty()) {
            broadcast.awaitAll(() -> scope.steps().done(this));
        }
    }

    private void send(int owner, OperatorEvent event) {
        scope.messenger().send(scope.neighbours().execution(owner), event);
    }
}
