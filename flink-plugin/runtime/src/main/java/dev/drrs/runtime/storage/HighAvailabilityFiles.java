package dev.drrs.runtime.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;

/**
 * Small texts in a directory of the high-availability storage, where the next JobManager finds
 * them. Each call blocks on the file system; any thread, if no other one writes the same file.
 */
public final class HighAvailabilityFiles {

    private final Path directory;

    private HighAvailabilityFiles(Path directory) {
        this.directory = directory;
    }

    /**
     * @param directory below the storage of the cluster
     * @return empty without high availability
     */
    public static Optional<HighAvailabilityFiles> of(
            Configuration configuration, String directory) {
        return HighAvailabilityMode.isHighAvailabilityModeActivated(configuration)
                ? Optional.of(
                        new HighAvailabilityFiles(
                                new Path(
                                        HighAvailabilityServicesUtils
                                                .getClusterHighAvailableStoragePath(configuration),
                                        directory)))
                : Optional.empty();
    }

    /** Names of the files, in no order; none if the directory is not there yet. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        FileSystem system = directory.getFileSystem();
        FileStatus[] found = system.exists(directory) ? system.listStatus(directory) : null;
        if (found != null) {
            for (FileStatus status : found) {
                names.add(status.getPath().getName());
            }
        }
        return names;
    }

    public String read(String name) throws IOException {
        try (FSDataInputStream in = directory.getFileSystem().open(new Path(directory, name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Not every file system does it in one step: a reader may meet half of the text. */
    public void write(String name, String text) throws IOException {
        try (FSDataOutputStream out =
                directory
                        .getFileSystem()
                        .create(new Path(directory, name), FileSystem.WriteMode.OVERWRITE)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    public void delete(String name) throws IOException {
        directory.getFileSystem().delete(new Path(directory, name), false);
    }

    /** With all that is in it. */
    public void deleteAll() throws IOException {
        directory.getFileSystem().delete(directory, true);
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
