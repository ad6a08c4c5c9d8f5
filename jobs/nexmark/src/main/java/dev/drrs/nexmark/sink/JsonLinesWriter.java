package dev.drrs.nexmark.sink;

import java.io.IOException;
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
    private final LineFile results;
    private final LineFile latencies;
    private boolean closed;

    JsonLinesWriter(Path directory, String file, ProcessingTimeService time) throws IOException {
        this.time = time;
        this.results = new LineFile(directory.resolve("results"), file);
        this.latencies = new LineFile(directory.resolve("latency"), file);
        scheduleFlush();
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
        results.add(result.json());
        if (result.scheduleMs() != Result.NO_LATENCY) {
            latencies.add(latency(result));
        }
    }

    private static String latency(Result result) {
        return "{\"k\":\""
                + result.key()
                + "\",\"s\":"
                + result.scheduleMs()
                + ",\"o\":"
                + System.currentTimeMillis()
                + ",\"n\":"
                + result.n()
                + "}";
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
