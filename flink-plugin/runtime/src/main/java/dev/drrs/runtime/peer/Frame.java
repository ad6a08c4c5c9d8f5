package dev.drrs.runtime.peer;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The wire format. A message travels as one frame or several; frames of a signal may stand between
 * two frames of a bulk message, so that a signal waits for one frame at most.
 *
 * <p>A frame is a header of one byte kind and four bytes length of the <em>whole message</em> (big
 * endian), then up to {@link #MAX_PAYLOAD} bytes. The receiver knows how much of a message it has,
 * hence how long the next frame of its lane is. {@link Kind#HELLO} has the format's version in
 * place of the length and no payload, {@link Kind#FIN} zero.
 */
final class Frame {

    static final int HEADER_BYTES = 5;

    /** Header and payload of a full frame fill one network buffer of the default size. */
    static final int MAX_PAYLOAD = 32 * 1024 - HEADER_BYTES;

    static final int VERSION = 3;

    private Frame() {}

    /** What a frame carries. Its code is the byte on the wire; the order here means nothing. */
    enum Kind {
        SIGNAL(0),
        BULK(1),
        FILLER(2),
        HELLO(3),
        FIN(4);

        private static final Kind[] KINDS = values();

        final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        static Kind of(byte code) throws IOException {
            for (Kind kind : KINDS) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IOException(
                    "The peer exchange is out of step: unknown frame kind " + code + ".");
        }
    }

    /** Fills {@code header}, leaving it ready to be read. */
    static void header(ByteBuffer header, Kind kind, int length) {
        header.clear();
        header.put(kind.code).putInt(length).flip();
    }
}
