package dev.drrs.runtime.role;

import dev.drrs.protocol.ArrivingKeyGroups;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.LostService;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.peer.PeerReader;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Key groups on their way. At the old owner a key group that was taken out belongs to the transfer
 * thread, which serializes it when it is asked for; at the new owner the exchange's reader thread,
 * or one that reads storage ({@link StoredState}), builds its state, and the mailbox only puts it
 * in place. So no chunk ever holds up records. What was copied ahead waits in that thread's hands,
 * for the subscale to bring the rest or to be cancelled; no checkpoint knows of it.
 *
 * <p>Crossing point: {@link #detached} and {@link #asked} in the mailbox thread; handlers in the
 * reader threads; what passes between them goes through the mailbox, the transfer thread's queue or
 * a concurrent map.
 */
final class StateTransfer implements StoredState.Arrivals {

    private static final Logger LOG = LoggerFactory.getLogger(StateTransfer.class);

    /** How long elements that have arrived are worked off before records get their turn. */
    private static final long SLICE_NANOS = 3_000_000;

    /** The least share of its time in which a key group is written out: records may wait for it. */
    private static final double URGENT_SHARE = 0.5;

    private static final PartRoute OVER_EXCHANGE =
            (pull, to) -> new PeerChunks(pull.subscale(), pull.bin(), to);

    /** What is done with what comes, and with what it lets go. Mailbox thread. */
    interface Receiver extends MailSlices.Released {

        void element(PeerElement<StreamRecord<?>> element);

        /**
         * The state of a key group is in place; before anything else of it.
         *
         * @param bytes that it came in
         */
        void installed(IncomingKeyGroup group, long bytes) throws Exception;

        /** Old owner: nothing more is sent of the copy of a subscale. */
        void copied(int subscale);

        /** Old owner: what is re-routed of a subscale has waited for as long as it may. */
        void rerouteTimeout(int subscale);

        /** New owner: processing time has come to what {@link #tellAt} was asked for. */
        void timersDue(int subscale);

        /** After as much as is done at a stretch. */
        void batchEnd();

        /** Whether there is something to read in the task's channels. */
        boolean elementsWait();
    }

    private final ElasticTask task;
    private final Receiver receiver;
    private final Supplier<PeerCodec> codecs;
    private final Executor transfers;
    private final IntFunction<PeerWriter> writers;
    private final CopySender copies;
    private final RightOfWay rightOfWay = new RightOfWay();
    private final SlicesInTask host;
    private final Throttle throttle = new Throttle(MachineLoad.OF_THIS_JVM);
    private final LostService urgent;
    private final StoredState stored;

    /** Works off what has come from all other owners, which together keep to the budget. */
    private final MailSlices slices;

    private final Backlog backlog;

    /** Made at the first rescale, before anything comes; read by reader threads. */
    private volatile KeyedStateMover mover;

    /** By subscale; put by the mailbox thread, read by reader threads. */
    private final Map<Integer, Leaving> leaving = new ConcurrentHashMap<>();

    private record Leaving(Subscale subscale, DetachedKeyGroups groups) {}

    /**
     * @param backlogBytes how much of elements may wait for the mailbox
     */
    StateTransfer(
            ElasticTask task,
            Receiver receiver,
            Supplier<PeerCodec> codecs,
            Executor transfers,
            Executor copying,
            ScheduledExecutorService timer,
            LostService budget,
            ServedTime served,
            StoredState stored,
            long backlogBytes,
            IntFunction<PeerWriter> writers) {
        this.task = task;
        this.stored = stored;
        this.receiver = receiver;
        this.codecs = codecs;
        this.transfers = transfers;
        this.writers = writers;
        urgent = budget.atLeast(URGENT_SHARE);
        copies =
                new CopySender(
                        task,
                        copying,
                        rightOfWay,
                        new Throttle(MachineLoad.OF_THIS_JVM),
                        budget,
                        writers,
                        receiver::copied);
        host = new SlicesInTask(task, timer, receiver::elementsWait);
        slices =
                new MailSlices(
                        host,
                        receiver,
                        receiver::batchEnd,
                        System::nanoTime,
                        SLICE_NANOS,
                        budget,
                        served);
        backlog = new Backlog(slices::add, backlogBytes);
    }

    /** Mailbox: as {@link MailSlices#takesMore}. */
    boolean takesMore() {
        return slices.takesMore();
    }

    void state(MovableState state) {
        mover = state.mover();
        copies.state(state);
    }

    /** Mailbox: what goes through shared storage. */
    StoredState stored() {
        return stored;
    }

    /** Mailbox: copies that go ahead of key groups of this owner. */
    CopySender copies() {
        return copies;
    }

    /** Mailbox: takes the key groups out; they wait to be pulled. */
    void detach(Subscale subscale) throws RescaleFailedException {
        try {
            leaving.put(subscale.id(), new Leaving(subscale, mover.detach(subscale.keyGroups())));
        } catch (RuntimeException e) {
            throw new RescaleFailedException(subscale + " could not be taken out", e);
        }
        copies.detached(subscale);
    }

    /** Mailbox: tells the receiver after this time, unless the task has ended. */
    void rerouteLater(int subscale, long millis) {
        host.executeLater(
                () -> host.work(() -> receiver.rerouteTimeout(subscale)),
                TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Mailbox: of key groups that have been taken out, as the gate wants to know it. */
    long[] firstTimers(Subscale subscale, int bins) {
        DetachedKeyGroups groups = leaving.get(subscale.id()).groups;
        return Arrays.stream(subscale.keyGroups())
                .mapToObj(keyGroup -> groups.firstTimers(keyGroup, bins))
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    /**
     * Mailbox: tells the receiver then, unless the task has ended.
     *
     * @param timestamp epoch milliseconds
     */
    void tellAt(int subscale, long timestamp) {
        long now = System.currentTimeMillis();
        host.executeLater(
                () -> host.work(() -> receiver.timersDue(subscale)),
                timestamp <= now ? 0 : TimeUnit.MILLISECONDS.toNanos(timestamp - now));
    }

    /** Mailbox: nobody asks for the subscale's key groups any more. */
    void gone(int subscale) {
        leaving.remove(subscale);
    }

    /** Mailbox: asks the old owner for a key group, or a bin of it. */
    void pull(Subscale subscale, int keyGroup, KeyBin bin) throws IOException {
        writers.apply(subscale.oldOwner()).sendSignal(PeerCodec.pull(subscale.id(), keyGroup, bin));
    }

    /** What takes the messages of one exchange; every call in its reader thread. */
    PeerReader.Handler handler() {
        return new Incoming();
    }

    private void send(PeerCodec.Pull pull) {
        Leaving from = leaving.get(pull.subscale());
        if (from == null) {
            throw new IllegalStateException(
                    "key group "
                            + pull.keyGroup()
                            + " of subscale "
                            + pull.subscale()
                            + " is not here");
        }
        PeerWriter writer = writers.apply(from.subscale.newOwner());
        PartRoute route = stored.isUsed() ? stored : OVER_EXCHANGE;
        Runnable sending =
                () -> {
                    try (PartRoute.Part part = route.begin(pull, writer)) {
                        from.groups.write(
                                pull.keyGroup(),
                                pull.bin(),
                                new PacedChunks(part, throttle, urgent, () -> false));
                        part.complete();
                        from.groups.release(pull.keyGroup(), pull.bin());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt(); // the task ends
                    } catch (Throwable t) { // also an Error: nobody else would hear of it
                        task.fail("key group " + pull.keyGroup() + " could not be sent", t);
                    } finally {
                        rightOfWay.leave();
                    }
                };
        rightOfWay.enter();
        try {
            transfers.execute(sending);
        } catch (RejectedExecutionException e) {
            LOG.debug("Key group {} is not sent, the task ends.", pull.keyGroup());
        }
    }

    @Override
    public void arrived(IncomingKeyGroup part, long bytes) {
        slices.add(List.of(() -> installed(part, bytes)));
    }

    @Override
    public void failed(String what, Throwable cause) {
        task.fail(what, cause);
    }

    private void installed(IncomingKeyGroup group, long bytes) throws Exception {
        try {
            group.install();
        } catch (Exception e) {
            throw new RescaleFailedException(
                    "key group " + group.keyGroup() + " could not be put in place", e);
        }
        receiver.installed(group, bytes);
    }

    /** A key group of which some has come. */
    private static final class Arriving {
        final IncomingKeyGroup group;
        long bytes;

        Arriving(IncomingKeyGroup group) {
            this.group = group;
        }
    }

    private final class Incoming implements PeerReader.Handler {

        private final PeerCodec codec = codecs.get();
        private final ArrivingKeyGroups<Arriving> arriving = new ArrivingKeyGroups<>();
        private List<ThrowingRunnable<Exception>> mails = new ArrayList<>();

        /** Of the elements among them. */
        private long bytes;

        @Override
        public void message(ByteBuffer message) throws Exception {
            switch (PeerCodec.kind(message)) {
                case PULL -> send(PeerCodec.pull(message));
                case CHUNK -> add(PeerCodec.chunk(message));
                case STORED -> read(PeerCodec.stored(message));
                default -> {
                    bytes += message.remaining() + Backlog.ELEMENT_BYTES;
                    PeerElement<StreamRecord<?>> element = codec.decode(message);
                    if (element instanceof PeerElement.Cancelled<StreamRecord<?>>) {
                        arriving.cancelled(element.subscale());
                    }
                    mails.add(() -> receiver.element(element));
                }
            }
        }

        private void read(PeerCodec.Stored part) {
            stored.read(
                    part,
                    mover.begin(part.subscale(), part.keyGroup(), part.bin()),
                    StateTransfer.this);
        }

        private void add(PeerCodec.Chunk chunk) throws IOException {
            int subscale = chunk.subscale();
            int keyGroup = chunk.keyGroup();
            Arriving one =
                    arriving.of(
                            subscale,
                            keyGroup,
                            () -> new Arriving(mover.begin(subscale, keyGroup, chunk.bin())));
            if (one == null) {
                return;
            }
            if (!one.group.bin().equals(chunk.bin())) { // they come one after the other
                throw new IOException(
                        one.group + " is not complete when " + chunk.bin() + " comes");
            }
            one.bytes += chunk.bytes().remaining();
            if (one.group.add(chunk.bytes())) {
                arriving.complete(subscale, keyGroup);
                mails.add(() -> installed(one.group, one.bytes));
            }
        }

        @Override
        public void batchEnd() throws InterruptedException {
            if (mails.isEmpty()) {
                return;
            }
            List<ThrowingRunnable<Exception>> batch = mails;
            mails = new ArrayList<>();
            long counted = bytes;
            bytes = 0;
            backlog.hand(batch, counted);
        }
    }
}
