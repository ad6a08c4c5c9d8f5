package dev.drrs.runtime.role;

import dev.drrs.protocol.PeerElement;
import dev.drrs.runtime.peer.codec.MessageCodec;
import dev.drrs.runtime.state.KeyBin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The messages between old and new owner as bytes. An instance holds a serializer of records for
 * each input and a buffer: one for each thread.
 */
final class PeerCodec {

    /** What a message is. Its code is the first byte; the order here means nothing. */
    enum Kind {
        VALVE('V'),
        WATERMARK('W'),
        STATUS('S'),
        HOLD('H'),
        DETACHED('D'),
        REROUTED('R'),
        CONFIRM('C'),
        CANCELLED('X'),
        PULL('P'),
        STORED('F'),
        CHUNK('B');

        private static final Kind[] BY_CODE = new Kind[128];

        static {
            for (Kind kind : values()) {
                BY_CODE[kind.code] = kind;
            }
        }

        final byte code;

        Kind(char code) {
            this.code = (byte) code;
        }

        static Kind of(byte code) throws IOException {
            Kind kind = code < 0 ? null : BY_CODE[code];
            if (kind == null) {
                throw new IOException(
                        "A peer exchange brought a message of unknown kind " + code + ".");
            }
            return kind;
        }
    }

    /** A piece of a key group's state, or of a bin's; the bytes follow in the buffer. */
    record Chunk(int subscale, int keyGroup, KeyBin bin, ByteBuffer bytes) {}

    /** A new owner asks for a key group, or for a bin of it. */
    record Pull(int subscale, int keyGroup, KeyBin bin) {}

    /**
     * A key group, or a bin of it, is in shared storage.
     *
     * @param bytes length of the file
     * @param checksum of what is in it
     */
    record Stored(int subscale, int keyGroup, KeyBin bin, long bytes, long checksum) {}

    /** Bytes of a chunk's message before the chunk. */
    static final int CHUNK_HEADER = 1 + 4 * Integer.BYTES;

    private final List<StreamElementSerializer<Object>> serializers;
    private final IntUnaryOperator inputOf;
    private final DataOutputSerializer out = new DataOutputSerializer(256);

    /**
     * @param recordSerializers of each input; copied
     * @param inputOf the input of a channel; called in this instance's thread
     */
    PeerCodec(List<TypeSerializer<?>> recordSerializers, IntUnaryOperator inputOf) {
        this.inputOf = inputOf;
        serializers = recordSerializers.stream().map(PeerCodec::ofElements).toList();
    }

    @SuppressWarnings("unchecked")
    private static StreamElementSerializer<Object> ofElements(TypeSerializer<?> ofRecords) {
        return new StreamElementSerializer<>((TypeSerializer<Object>) ofRecords.duplicate());
    }

    /**
     * @throws IOException if there is no such kind
     */
    static Kind kind(ByteBuffer message) throws IOException {
        return Kind.of(message.get(message.position()));
    }

    ByteBuffer encode(PeerElement<StreamRecord<?>> element) throws IOException {
        out.clear();
        if (element instanceof PeerElement.ValveCopy<StreamRecord<?>> copy) {
            head(Kind.VALVE, copy.subscale());
            MessageCodec.writeLongs(copy.valve(), out);
        } else if (element instanceof PeerElement.Time<StreamRecord<?>> time) {
            head(time.isStatus() ? Kind.STATUS : Kind.WATERMARK, time.subscale());
            out.writeInt(time.channel());
            out.writeLong(time.value());
        } else if (element instanceof PeerElement.Hold<StreamRecord<?>> hold) {
            head(Kind.HOLD, hold.subscale());
            out.writeInt(hold.channel());
        } else if (element instanceof PeerElement.Rerouted<StreamRecord<?>> record) {
            head(Kind.REROUTED, record.subscale());
            out.writeInt(record.channel());
            out.writeInt(record.keyGroup());
            serializer(record.channel()).serialize(record.element(), out);
        } else if (element instanceof PeerElement.Confirm<StreamRecord<?>> confirm) {
            head(Kind.CONFIRM, confirm.subscale());
            out.writeInt(confirm.channel());
        } else if (element instanceof PeerElement.Detached<StreamRecord<?>> detached) {
            head(Kind.DETACHED, detached.subscale());
            MessageCodec.writeLongs(detached.timers(), out);
            MessageCodec.writeInts(detached.bins(), out);
        } else {
            head(Kind.CANCELLED, element.subscale());
        }
        return MessageCodec.take(out);
    }

    PeerElement<StreamRecord<?>> decode(ByteBuffer message) throws IOException {
        DataInputDeserializer in = MessageCodec.open(message);
        Kind kind = Kind.of(in.readByte());
        int subscale = in.readInt();
        return switch (kind) {
            case VALVE -> new PeerElement.ValveCopy<>(subscale, MessageCodec.readLongs(in));
            case WATERMARK, STATUS ->
                    new PeerElement.Time<>(
                            subscale, in.readInt(), kind == Kind.STATUS, in.readLong());
            case HOLD -> new PeerElement.Hold<>(subscale, in.readInt());
            case DETACHED ->
                    new PeerElement.Detached<>(
                            subscale, MessageCodec.readLongs(in), MessageCodec.readInts(in));
            case REROUTED -> rerouted(subscale, in);
            case CONFIRM -> new PeerElement.Confirm<>(subscale, in.readInt());
            case CANCELLED -> new PeerElement.Cancelled<>(subscale);
            default -> throw new IOException("not an element of the protocol: " + kind);
        };
    }

    private PeerElement<StreamRecord<?>> rerouted(int subscale, DataInputDeserializer in)
            throws IOException {
        int channel = in.readInt();
        int keyGroup = in.readInt();
        StreamElement element = serializer(channel).deserialize(in);
        return new PeerElement.Rerouted<>(subscale, channel, keyGroup, element.asRecord());
    }

    private StreamElementSerializer<Object> serializer(int channel) {
        return serializers.get(inputOf.applyAsInt(channel));
    }

    static ByteBuffer pull(int subscale, int keyGroup, KeyBin bin) {
        ByteBuffer message = ByteBuffer.allocate(CHUNK_HEADER);
        return state(Kind.PULL, subscale, keyGroup, bin, message).flip();
    }

    static Pull pull(ByteBuffer message) {
        message.get();
        return new Pull(message.getInt(), message.getInt(), bin(message));
    }

    static ByteBuffer stored(Pull of, long bytes, long checksum) {
        ByteBuffer message = ByteBuffer.allocate(CHUNK_HEADER + 2 * Long.BYTES);
        return state(Kind.STORED, of.subscale(), of.keyGroup(), of.bin(), message)
                .putLong(bytes)
                .putLong(checksum)
                .flip();
    }

    static Stored stored(ByteBuffer message) {
        message.get();
        return new Stored(
                message.getInt(),
                message.getInt(),
                bin(message),
                message.getLong(),
                message.getLong());
    }

    /**
     * Makes a message of a chunk without a copy.
     *
     * @param bytes with at least {@link #CHUNK_HEADER} bytes of the caller's own before its
     *     position
     */
    static ByteBuffer chunk(int subscale, int keyGroup, KeyBin bin, ByteBuffer bytes) {
        int start = bytes.position() - CHUNK_HEADER;
        return state(Kind.CHUNK, subscale, keyGroup, bin, bytes.position(start)).position(start);
    }

    static Chunk chunk(ByteBuffer message) {
        message.get();
        return new Chunk(message.getInt(), message.getInt(), bin(message), message);
    }

    private static ByteBuffer state(
            Kind kind, int subscale, int keyGroup, KeyBin bin, ByteBuffer message) {
        return message.put(kind.code)
                .putInt(subscale)
                .putInt(keyGroup)
                .putInt(bin.number())
                .putInt(bin.of());
    }

    private static KeyBin bin(ByteBuffer message) {
        return new KeyBin(message.getInt(), message.getInt());
    }

    /** About how many bytes a record of an input takes. */
    int size(int input, StreamRecord<?> record) throws IOException {
        out.clear();
        serializers.get(input).serialize(record, out);
        return out.length();
    }

    private void head(Kind kind, int subscale) throws IOException {
        out.writeByte(kind.code);
        out.writeInt(subscale);
    }
}
