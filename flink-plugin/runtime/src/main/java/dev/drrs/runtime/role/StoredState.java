package dev.drrs.runtime.role;

import dev.drrs.protocol.Bin;
import dev.drrs.protocol.StoredPart;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.remote.PartFile;
import dev.drrs.runtime.remote.PartWriter;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State that goes through shared storage: at the old owner the transfer thread writes each part
 * into a file and says on the exchange that it is there; at the new owner a few threads read files,
 * so that one that is slow keeps nobody but those who wait for it.
 *
 * <p>Crossing point: {@link #use} and {@link #close} in the mailbox thread, {@link #begin} in the
 * transfer thread, {@link #read} in the reader threads of exchanges.
 */
final class StoredState implements PartRoute {

    private static final Logger LOG = LoggerFactory.getLogger(StoredState.class);
    private static final int IDLE_SECONDS = 2;

    /** Takes what has been read. Called in the thread that has read it. */
    interface Arrivals {

        /** All of it. */
        void arrived(IncomingKeyGroup part, long bytes);

        void failed(String what, Throwable cause);
    }

    private final ThreadPoolExecutor readers;
    private final LongAdder written = new LongAdder();

    /** Of the present rescale; null if its state goes over the exchange. */
    private volatile Path folder;

    StoredState(ThreadFactory threads) {
        readers =
                new ThreadPoolExecutor(
                        1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        readers.allowCoreThreadTimeOut(true);
    }

    /**
     * For the rescale that begins.
     *
     * @param path its folder, null to use none
     * @param atATime how many files are read at a time
     */
    void use(String path, int atATime) {
        folder = path == null ? null : new Path(path);
        if (isUsed()) { // never fewer threads at most than at least
            readers.setMaximumPoolSize(Math.max(atATime, readers.getCorePoolSize()));
            readers.setCorePoolSize(atATime);
            readers.setMaximumPoolSize(atATime);
        }
    }

    boolean isUsed() {
        return folder != null;
    }

    /** Bytes that this owner has written since the last call. */
    long takeWritten() {
        return written.sumThenReset();
    }

    private Path path(int subscale, int keyGroup, KeyBin bin) {
        StoredPart part = new StoredPart(subscale, keyGroup, new Bin(bin.number(), bin.of()));
        return new Path(folder, part.fileName());
    }

    @Override
    public Part begin(PeerCodec.Pull pull, PeerWriter to) throws IOException {
        PartWriter file = new PartWriter(path(pull.subscale(), pull.keyGroup(), pull.bin()));
        return new Part() {
            @Override
            public void accept(int keyGroup, ByteBuffer chunk, boolean last) throws IOException {
                file.write(
                        chunk.array(), chunk.arrayOffset() + chunk.position(), chunk.remaining());
            }

            @Override
            public void complete() throws IOException {
                PartFile there = file.finish();
                written.add(there.bytes());
                to.sendSignal(PeerCodec.stored(pull, there.bytes(), there.checksum()));
                file.handedOver();
            }

            @Override
            public void close() {
                file.close();
            }
        };
    }

    /**
     * Reads a part when a thread is free, in the order of the calls.
     *
     * @param into what its state is built in
     */
    void read(PeerCodec.Stored stored, IncomingKeyGroup into, Arrivals arrivals) {
        PartFile file =
                new PartFile(
                        path(stored.subscale(), stored.keyGroup(), stored.bin()),
                        stored.bytes(),
                        stored.checksum());
        try {
            readers.execute(() -> read(file, into, arrivals));
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is not read, the task ends.", file.path());
        }
    }

    private static void read(PartFile file, IncomingKeyGroup into, Arrivals arrivals) {
        try {
            file.read(into::add);
            if (!into.isComplete()) {
                throw new IOException("The file " + file.path() + " ends before " + into);
            }
        } catch (Throwable t) { // also an Error: nobody else would hear of it
            arrivals.failed(into + " could not be read from storage", t);
            return;
        }
        arrivals.arrived(into, file.bytes());
        file.remove();
    }

    /** Nothing more is read. */
    void close() {
        readers.shutdownNow();
    }
}
