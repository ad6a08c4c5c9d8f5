package dev.drrs.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Writes the lines between two checkpoints to a file of {@code pending/}; the commit moves it to {@code committed/}.
 * The writer's state is the number of its files, so that it always has some.
 */
class FilesInTwoPhases implements Sink<String>, SupportsCommitter<String>, SupportsWriterState<String, String> {

    protected final String directory;

    FilesInTwoPhases(String directory) {
        this.directory = directory;
    }

    @Override
    public Writer createWriter(WriterInitContext context) {
        return new Writer(directory, 0);
    }

    @Override
    public StatefulSinkWriter<String, String> restoreWriter(WriterInitContext context, Collection<String> recovered) {
        return new Writer(directory, recovered.stream().mapToInt(Integer::parseInt).sum());
    }

    @Override
    public Committer<String> createCommitter(CommitterInitContext context) {
        return new Mover(Path.of(directory, "pending"), Path.of(directory, "committed"));
    }

    @Override
    public SimpleVersionedSerializer<String> getCommittableSerializer() {
        return TextSerializer.INSTANCE;
    }

    @Override
    public SimpleVersionedSerializer<String> getWriterStateSerializer() {
        return TextSerializer.INSTANCE;
    }

    /** Keeps the lines in memory until the checkpoint. */
    private static final class Writer
            implements CommittingSinkWriter<String, String>, StatefulSinkWriter<String, String> {

        private final Path pending;
        private final List<String> lines = new ArrayList<>();
        private int files;

        Writer(String directory, int files) {
            this.pending = Path.of(directory, "pending");
            this.files = files;
        }

        @Override
        public void write(String line, Context context) {
            lines.add(line);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public Collection<String> prepareCommit() throws IOException {
            if (lines.isEmpty()) {
                return List.of();
            }
            String name = UUID.randomUUID().toString();
            Files.write(Files.createDirectories(pending).resolve(name), lines);
            lines.clear();
            files++;
            return List.of(name);
        }

        @Override
        public List<String> snapshotState(long checkpoint) {
            return List.of(Integer.toString(files));
        }

        @Override
        public void close() {}
    }

    /** Moves files; one that is there already was committed before. */
    static final class Mover implements Committer<String> {

        private final Path from;
        private final Path to;

        Mover(Path from, Path to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void commit(Collection<CommitRequest<String>> requests) {
            for (CommitRequest<String> request : requests) {
                String name = request.getCommittable();
                try {
                    Path target = Files.createDirectories(to).resolve(name);
                    if (Files.exists(target)) {
                        request.signalAlreadyCommitted();
                    } else {
                        Files.move(from.resolve(name), target, StandardCopyOption.ATOMIC_MOVE);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void close() {}
    }
}
