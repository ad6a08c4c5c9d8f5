package dev.drrs.nexmark.sink;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A text file that grows by whole lines only: also a process that dies, or a reader that looks at
 * any time, leaves or sees no part of a line. Used by one thread.
 */
final class LineFile implements Closeable {

    private static final int WRITE_FROM_CHARS = 32 * 1024;

    private final OutputStream out;
    private final StringBuilder lines = new StringBuilder(2 * WRITE_FROM_CHARS);

    /** Creates the file and its directory; an older file of that name is replaced. */
    LineFile(Path directory, String file) throws IOException {
        out = Files.newOutputStream(Files.createDirectories(directory).resolve(file));
    }

    void add(String line) throws IOException {
        lines.append(line).append('\n');
        if (lines.length() >= WRITE_FROM_CHARS) {
            flush();
        }
    }

    /** Hands all lines to the operating system, in one call. */
    void flush() throws IOException {
        if (!lines.isEmpty()) {
            out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            lines.setLength(0);
        }
    }

    @Override
    public void close() throws IOException {
        try (out) {
            flush();
        }
    }
}
