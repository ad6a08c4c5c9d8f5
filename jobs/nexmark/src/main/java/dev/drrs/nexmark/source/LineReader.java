package dev.drrs.nexmark.source;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads lines as bytes and knows how many bytes it has handed out, which decoding readers do not.
 */
final class LineReader implements Closeable {

    private final InputStream in;
    private final byte[] buffer = new byte[64 * 1024];
    private int position;
    private int limit;
    private byte[] line = new byte[256];
    private int length;
    private int consumed;

    LineReader(InputStream in) {
        this.in = in;
    }

    /** Moves to the next line; false at the end. A last line without a line end counts as one. */
    boolean next() throws IOException {
        length = 0;
        consumed = 0;
        while (true) {
            if (position == limit && !fill()) {
                return consumed > 0;
            }
            byte b = buffer[position++];
            consumed++;
            if (b == '\n') {
                return true;
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = b;
        }
    }

    /**
     * The bytes of the line, valid up to {@link #length} and until the next call of {@link #next}.
     */
    byte[] line() {
        return line;
    }

    int length() {
        return length;
    }

    /** Bytes of the line in the stream, its end included. */
    int consumed() {
        return consumed;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(in.read(buffer), 0);
        return limit > 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
