package dev.drrs.gateway.shapes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Keeps results, so many at a time; see {@link Gates#pass}. */
record KeepingSink(String job, long slow, int size) implements Sink<String> {

    @Override
    public SinkWriter<String> createWriter(WriterInitContext context) {
        return new Writer(this, new ArrayList<>());
    }

    private record Writer(KeepingSink sink, List<String> held) implements SinkWriter<String> {
        @Override
        public void write(String line, Context context) {
            Gates.of(sink.job).pass(sink.slow);
            held.add(line);
            if (held.size() >= sink.size) {
                flush(false);
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            held.forEach(Results.of(sink.job)::add);
            held.clear();
        }

        @Override
        public void close() {}
    }
}
