package dev.drrs.runtime.peer.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Bodies of messages through Flink's own views, so that serializers of keys, records and state
 * write straight into them. Integers are big endian. Stateless; the serializer passed in is reused
 * by its one owner.
 */
public final class MessageCodec {

    private MessageCodec() {}

    /**
     * Takes what was written since the last call as a message of its own and empties {@code out}
     * for the next.
     */
    public static ByteBuffer take(DataOutputSerializer out) {
        ByteBuffer message = ByteBuffer.wrap(out.getCopyOfBuffer());
        out.clear();
        return message;
    }

    /** A view over the remaining bytes of a message; the message's own position does not move. */
    public static DataInputDeserializer open(ByteBuffer message) {
        return new DataInputDeserializer(message.slice());
    }

    /** Length and bytes. */
    public static void writeBytes(byte[] bytes, DataOutputView out) throws IOException {
        writeBytes(bytes, 0, bytes.length, out);
    }

    /** Length and a part of {@code bytes}. */
    public static void writeBytes(byte[] bytes, int offset, int length, DataOutputView out)
            throws IOException {
        out.writeInt(length);
        out.write(bytes, offset, length);
    }

    /**
     * What {@link #writeBytes} wrote.
     *
     * @throws IOException if the length is negative or more than the message has left
     */
    public static byte[] readBytes(DataInputDeserializer in) throws IOException {
        byte[] bytes = new byte[checkedCount(in.readInt(), 1, in)];
        in.readFully(bytes);
        return bytes;
    }

    /** Count and values. */
    public static void writeInts(int[] values, DataOutputView out) throws IOException {
        out.writeInt(values.length);
        for (int value : values) {
            out.writeInt(value);
        }
    }

    /**
     * What {@link #writeInts} wrote.
     *
     * @throws IOException if the count is negative or more than the message has left
     */
    public static int[] readInts(DataInputDeserializer in) throws IOException {
        int[] values = new int[checkedCount(in.readInt(), Integer.BYTES, in)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.readInt();
        }
        return values;
    }

    /** Count and values. */
    public static void writeLongs(long[] values, DataOutputView out) throws IOException {
        out.writeInt(values.length);
        for (long value : values) {
            out.writeLong(value);
        }
    }

    /**
     * What {@link #writeLongs} wrote.
     *
     * @throws IOException if the count is negative or more than the message has left
     */
    public static long[] readLongs(DataInputDeserializer in) throws IOException {
        long[] values = new long[checkedCount(in.readInt(), Long.BYTES, in)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.readLong();
        }
        return values;
    }

    /**
     * An int in one to five bytes, seven bits each, low bits first: small values, as key groups and
     * counts are, take one byte. Negative values take five.
     */
    public static void writeVarInt(int value, DataOutputView out) throws IOException {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            out.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /**
     * What {@link #writeVarInt} wrote.
     *
     * @throws IOException if there are more than five bytes
     */
    public static int readVarInt(DataInputView in) throws IOException {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int next = in.readByte();
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IOException("A number in the message is longer than five bytes.");
    }

    /** Before allocating: a broken count must not cost memory. */
    private static int checkedCount(int count, int bytesEach, DataInputDeserializer in)
            throws IOException {
        if (count < 0 || (long) count * bytesEach > in.available()) {
            throw new IOException(
                    "The message names "
                            + count
                            + " elements but has "
                            + in.available()
                            + " bytes left.");
        }
        return count;
    }
}
