package dev.drrs.gateway.shapes;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Results count when they are committed, in the order in which they were written. */
record CommittingSink(String job, long slow) implements Sink<String>, SupportsCommitter<String> {

    @Override
    public CommittingSinkWriter<String, String> createWriter(WriterInitContext context) {
        return new Writer(this, new TreeMap<>());
    }

    @Override
    public Committer<String> createCommitter(CommitterInitContext context) {
        return new Keeper(job);
    }

    @Override
    public SimpleVersionedSerializer<String> getCommittableSerializer() {
        return SplitSerializers.TEXT;
    }

    private record Writer(CommittingSink sink, Map<Long, String> written)
            implements CommittingSinkWriter<String, String> {
        @Override
        public void write(String line, Context context) {
            Gates.of(sink.job).pass(sink.slow);
            written.put(Results.of(sink.job).place(), line);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public Collection<String> prepareCommit() {
            if (written.isEmpty()) {
                return List.of();
            }
            String name = UUID.randomUUID().toString();
            Results.of(sink.job).keep(name, written);
            written.clear();
            return List.of(name);
        }

        @Override
        public void close() {}
    }

    private record Keeper(String job) implements Committer<String> {
        @Override
        public void commit(Collection<CommitRequest<String>> requests) {
            for (CommitRequest<String> request : requests) {
                if (!Results.of(job).commit(request.getCommittable())) {
                    request.signalAlreadyCommitted();
                }
            }
        }

        @Override
        public void close() {}
    }
}
