package dev.drrs.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.StandardSinkTopologies;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/** A global committer behind the committers notes the name of each committed file in {@code global/}. */
final class FilesInThreePhases extends FilesInTwoPhases implements SupportsPostCommitTopology<String> {

    FilesInThreePhases(String directory) {
        super(directory);
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<String>> committables) {
        Path to = Path.of(directory, "global");
        String target = to.toString();
        StandardSinkTopologies.addGlobalCommitter(
                committables, () -> new Noter(target), () -> TextSerializer.INSTANCE);
    }

    private static final class Noter implements Committer<String> {

        private final Path to;

        Noter(String to) {
            this.to = Path.of(to);
        }

        @Override
        public void commit(Collection<CommitRequest<String>> requests) {
            for (CommitRequest<String> request : requests) {
                try {
                    Path note = Files.createDirectories(to).resolve(request.getCommittable());
                    if (Files.exists(note)) {
                        request.signalAlreadyCommitted();
                    } else {
                        Files.createFile(note);
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
