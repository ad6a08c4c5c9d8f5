package dev.drrs.runtime.drain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The drains of a cluster in its high-availability storage, where the next JobManager finds them: a
 * file each. Without high availability nothing is kept. Not thread-safe; blocks on the file system.
 */
final class DrainStore {

    /** Keeps nothing. */
    static final DrainStore NONE = new DrainStore(null);

    private static final Logger LOG = LoggerFactory.getLogger(DrainStore.class);

    private final Path directory;

    private DrainStore(Path directory) {
        this.directory = directory;
    }

    static DrainStore of(Configuration configuration) {
        return HighAvailabilityMode.isHighAvailabilityModeActivated(configuration)
                ? new DrainStore(
                        new Path(
                                HighAvailabilityServicesUtils.getClusterHighAvailableStoragePath(
                                        configuration),
                                "drrs-drains"))
                : NONE;
    }

    boolean keeps() {
        return directory != null;
    }

    /**
     * Resource id to the epoch milliseconds since when.
     *
     * @throws IOException if the storage cannot be read
     */
    Map<String, Long> load() throws IOException {
        Map<String, Long> drains = new TreeMap<>();
        if (directory == null) {
            return drains;
        }
        FileSystem system = directory.getFileSystem();
        if (!system.exists(directory)) {
            return drains;
        }
        for (FileStatus status : system.listStatus(directory)) {
            try (FSDataInputStream in = system.open(status.getPath())) {
                String since = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                drains.put(
                        new String(
                                Base64.getUrlDecoder().decode(status.getPath().getName()),
                                StandardCharsets.UTF_8),
                        Long.parseLong(since));
            } catch (IllegalArgumentException e) {
                LOG.warn(
                        "{} is no drain that was written whole; it counts for nothing.", status, e);
            }
        }
        return drains;
    }

    void add(String taskManager, long since) {
        if (directory == null) {
            return;
        }
        try (FSDataOutputStream out =
                directory
                        .getFileSystem()
                        .create(file(taskManager), FileSystem.WriteMode.OVERWRITE)) {
            out.write(Long.toString(since).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.warn(
                    "The drain of {} could not be written; it ends with the next job or JobManager.",
                    taskManager,
                    e);
        }
    }

    void remove(String taskManager) {
        if (directory == null) {
            return;
        }
        try {
            directory.getFileSystem().delete(file(taskManager), false);
        } catch (IOException e) {
            LOG.warn("{} may be drained again with the next job or JobManager.", taskManager, e);
        }
    }

    private Path file(String taskManager) {
        return new Path(
                directory,
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(taskManager.getBytes(StandardCharsets.UTF_8)));
    }
}
