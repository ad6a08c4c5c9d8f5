package dev.drrs.gateway;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.types.Row;

/**
 * Keeps the changes that a query makes, in the order in which its subtasks make them: they run in this JVM. A change is
 * {@code +I|auction|..}, its kind and its columns.
 */
record KeptChanges(String job, String query) implements Sink<Row> {

    private static final Map<String, List<String>> KEPT = new ConcurrentHashMap<>();

    /** All changes of a query so far. */
    static List<String> of(String job, String query) {
        List<String> kept = KEPT.getOrDefault(job + "/" + query, List.of());
        synchronized (kept) {
            return List.copyOf(kept);
        }
    }

    static void forget(String job) {
        KEPT.keySet().removeIf(name -> name.startsWith(job + "/"));
    }

    @Override
    public SinkWriter<Row> createWriter(WriterInitContext context) {
        return new Writer(
                KEPT.computeIfAbsent(
                        job + "/" + query, name -> Collections.synchronizedList(new ArrayList<>())));
    }

    private record Writer(List<String> kept) implements SinkWriter<Row> {
        @Override
        public void write(Row row, Context context) {
            kept.add(
                    row.getKind().shortString()
                            + IntStream.range(0, row.getArity())
                                    .mapToObj(field -> "|" + row.getField(field))
                                    .collect(Collectors.joining()));
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
