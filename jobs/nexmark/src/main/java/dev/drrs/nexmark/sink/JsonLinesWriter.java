package dev.drrs.nexmark.sink;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * Writes results and latencies; flushes at each checkpoint, at the end and every {@value
 * #FLUSH_INTERVAL_MS} ms.
 */
final class JsonLinesWriter implements SinkWriter<Result> {

    static final long FLUSH_INTERVAL_MS = 200;

    private final ProcessingTimeService time;
    private final BufferedWriter results;
    private final BufferedWriter latencies;
    private boolean closed;

    JsonLinesWriter(Path directory, String file, ProcessingTimeService time) throws IOException {
        this.time = time;
        this.results = open(directory.resolve("results"), file);
        this.latencies = open(directory.resolve("latency"), file);
        scheduleFlush();
    }

    private static BufferedWriter open(Path directory, String file) throws IOException {
        return Files.newBufferedWriter(
                Files.createDirectories(directory).resolve(file), StandardCharsets.UTF_8);
    }

    private void scheduleFlush() {
        time.registerTimer(
                time.getCurrentProcessingTime() + FLUSH_INTERVAL_MS,
                now -> {
                    if (!closed) {
                        flush(false);
                        scheduleFlush();
                    }
                });
    }

    @Override
    public void write(Result result, Context context) throws IOException {
        results.write(result.json());
        results.write('\n');
        if (result.scheduleMs() != 0) {
            latencies.write("{\"k\":\"");
            latencies.write(result.key());
            latencies.write("\",\"s\":");
            latencies.write(Long.toString(result.scheduleMs()));
            latencies.write(",\"o\":");
            latencies.write(Long.toString(System.currentTimeMillis()));
            latencies.write(",\"n\":");
            latencies.write(Long.toString(result.n()));
            latencies.write("}\n");
        }
    }

    @Override
    public void flush(boolean endOfInput) throws IOException {
        results.flush();
        latencies.flush();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try (results;
                latencies) {
            flush(true);
        }
    }
}
