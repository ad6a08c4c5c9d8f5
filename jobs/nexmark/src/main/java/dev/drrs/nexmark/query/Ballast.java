package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.SplitMix64;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;

/** State at each key, made with the key and checked whenever the key is used. */
final class Ballast implements Serializable {

    private final int bytes;
    private final boolean spread;
    private transient ValueState<byte[]> state;

    /**
     * Of a size in bytes.
     *
     * @param spread that is the mean, and sizes are from 1 to twice it, by key
     */
    Ballast(int bytes, boolean spread) {
        this.bytes = bytes;
        this.spread = spread;
    }

    private int sizeOf(long seed) {
        return spread ? 1 + (int) Math.floorMod(SplitMix64.mix(~seed), 2L * bytes) : bytes;
    }

    void open(RuntimeContext context) {
        if (bytes > 0) {
            state =
                    context.getState(
                            new ValueStateDescriptor<>(
                                    "ballast",
                                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        }
    }

    /** Makes the current key's ballast if there is none. */
    void preload(long seed) throws IOException {
        if (bytes > 0 && state.value() == null) {
            state.update(content(seed));
        }
    }

    /**
     * Makes the current key's ballast at its first event and looks at it at each other one.
     *
     * @param seed the same for all events of the key
     * @throws IllegalStateException if it has been lost or damaged
     */
    void use(long seed, boolean firstEvent) throws IOException {
        if (bytes == 0) {
            return;
        }
        byte[] held = state.value();
        if (held == null && firstEvent) {
            state.update(content(seed));
        } else if (held == null) {
            throw new IllegalStateException("Key " + seed + " has lost its ballast");
        } else if (held.length != sizeOf(seed)
                || held.length >= Long.BYTES && firstLong(held) != SplitMix64.mix(seed)) {
            throw new IllegalStateException("Key " + seed + " has the ballast of another key");
        }
    }

    private static long firstLong(byte[] content) {
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /** Outputs of SplitMix64, so that compression does not make the state smaller than it says. */
    private byte[] content(long seed) {
        byte[] content = new byte[sizeOf(seed)];
        ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        long counter = seed;
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(SplitMix64.mix(counter));
            counter += SplitMix64.GAMMA;
        }
        return content;
    }
}
