package dev.drrs.runtime.peer;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Puts messages together from the bytes of an exchange. Not thread-safe. */
final class FrameDecoder {

    /** Takes what the decoder finds, in stream order. */
    interface Sink {
        /** The stream's head; always first. */
        void hello() throws Exception;

        /**
         * A whole message in a heap buffer. That of a signal is the sink's own; that of bulk is
         * filled again after the call.
         */
        void message(Frame.Kind kind, ByteBuffer message) throws Exception;

        /** Bytes of filler that went by. */
        void filler(int bytes);

        /** The stream's end; nothing follows. */
        void fin() throws Exception;
    }

    /** A longer buffer of bulk is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private final int maxMessageBytes;
    private final Sink sink;
    private final ByteBuffer header = ByteBuffer.allocate(Frame.HEADER_BYTES);

    /** Unfinished message per lane (signal, bulk). */
    private final ByteBuffer[] partial = new ByteBuffer[2];

    /**
     * For the next bulk message: fresh memory for each one costs more than all else that is done
     * here.
     */
    private ByteBuffer spare = ByteBuffer.allocate(0);

    private Frame.Kind kind;
    private int left;
    private int fillerLeft;
    private boolean greeted;
    private boolean finished;

    FrameDecoder(int maxMessageBytes, Sink sink) {
        this.maxMessageBytes = maxMessageBytes;
        this.sink = sink;
    }

    /**
     * Consumes {@code in} to its end.
     *
     * @throws IOException if the bytes break the format or a message is longer than allowed
     * @throws Exception from the sink
     */
    void feed(ByteBuffer in) throws Exception {
        while (in.hasRemaining()) {
            if (left == 0) {
                if (!fill(header, in)) {
                    return;
                }
                header.flip();
                begin(Frame.Kind.of(header.get()), header.getInt());
                header.clear();
            } else if (kind == Frame.Kind.FILLER) {
                int skipped = Math.min(left, in.remaining());
                in.position(in.position() + skipped);
                left -= skipped;
                fillerLeft -= skipped;
                sink.filler(skipped);
            } else {
                ByteBuffer message = partial[lane()];
                int taken = Math.min(left, in.remaining());
                ByteBuffer part = in.slice(in.position(), taken);
                message.put(part);
                in.position(in.position() + taken);
                left -= taken;
                if (left == 0 && !message.hasRemaining()) {
                    complete(message);
                }
            }
        }
    }

    private void begin(Frame.Kind next, int length) throws Exception {
        if (finished) {
            throw new IOException("The peer exchange is out of step: a frame after the end.");
        }
        if (!greeted && next != Frame.Kind.HELLO) {
            throw new IOException(
                    "The peer exchange is out of step: it does not start with its head.");
        }
        kind = next;
        switch (next) {
            case HELLO -> {
                if (length != Frame.VERSION) {
                    throw new IOException(
                            "The other end of the peer exchange speaks version "
                                    + length
                                    + ", this one "
                                    + Frame.VERSION
                                    + ": use the same plug-in jar on all TaskManagers.");
                }
                greeted = true;
                sink.hello();
            }
            case FIN -> {
                if (partial[0] != null || partial[1] != null) {
                    throw new IOException("The peer exchange ended within a message.");
                }
                finished = true;
                sink.fin();
            }
            case FILLER -> {
                checkLength(length);
                if (fillerLeft == 0) {
                    fillerLeft = length;
                }
                left = Math.min(fillerLeft, Frame.MAX_PAYLOAD);
            }
            case SIGNAL, BULK -> beginMessage(length);
        }
    }

    private void beginMessage(int length) throws Exception {
        ByteBuffer message = partial[lane()];
        if (message == null) {
            checkLength(length);
            message = buffer(length);
            partial[lane()] = message;
        } else if (message.limit() != length) {
            throw new IOException(
                    "The peer exchange is out of step: a message changed its length.");
        }
        left = Math.min(message.remaining(), Frame.MAX_PAYLOAD);
        if (left == 0) {
            complete(message);
        }
    }

    private void complete(ByteBuffer message) throws Exception {
        partial[lane()] = null;
        boolean keep = kind == Frame.Kind.BULK && message.capacity() <= KEPT_BYTES;
        sink.message(kind, message.flip());
        if (keep) {
            spare = message;
        }
    }

    private int lane() {
        return kind == Frame.Kind.BULK ? 1 : 0;
    }

    private ByteBuffer buffer(int length) {
        if (kind == Frame.Kind.BULK && spare.capacity() >= length) {
            return spare.clear().limit(length);
        }
        return ByteBuffer.allocate(length);
    }

    private void checkLength(int length) throws IOException {
        if (length < 0 || length > maxMessageBytes) {
            throw new IOException(
                    "A message of "
                            + (length & 0xFFFFFFFFL)
                            + " bytes arrived on the peer exchange, allowed are "
                            + maxMessageBytes
                            + ".");
        }
    }

    /** Moves bytes until {@code target} is full; false if {@code in} ran out first. */
    private static boolean fill(ByteBuffer target, ByteBuffer in) {
        while (target.hasRemaining() && in.hasRemaining()) {
            target.put(in.get());
        }
        return !target.hasRemaining();
    }
}
