package dev.drrs.dist;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * An upsert sink that writes many rows at a time: what it holds is written when there is enough of
 * it, or when it is flushed.
 */
record SlowWrites(String job, int together) implements Sink<Tuple2<Long, Long>> {

    @Override
    public SinkWriter<Tuple2<Long, Long>> createWriter(WriterInitContext context) {
        return new Writer();
    }

    private final class Writer implements SinkWriter<Tuple2<Long, Long>> {
        private final List<Tuple2<Long, Long>> held = new ArrayList<>();

        @Override
        public void write(Tuple2<Long, Long> row, Context context) {
            held.add(row);
            if (held.size() >= together) {
                flush(false);
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            held.forEach(row -> RunningCounts.seen(job).take(row.f0, row.f1));
            held.clear();
        }

        @Override
        public void close() {}
    }
}
