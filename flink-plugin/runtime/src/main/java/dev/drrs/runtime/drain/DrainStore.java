package dev.drrs.runtime.drain;

import dev.drrs.runtime.storage.HighAvailabilityFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The drains of a cluster in its high-availability storage, where the next JobManager finds them: a
 * file each. Not thread-safe; blocks on the file system.
 */
final class DrainStore {

    private static final Logger LOG = LoggerFactory.getLogger(DrainStore.class);

    private final HighAvailabilityFiles files;

    private DrainStore(HighAvailabilityFiles files) {
        this.files = files;
    }

    /** Empty without high availability. */
    static Optional<DrainStore> of(Configuration configuration) {
        return HighAvailabilityFiles.of(configuration, "drrs-drains").map(DrainStore::new);
    }

    /**
     * Resource id to the epoch milliseconds since when.
     *
     * @throws IOException if the storage cannot be read
     */
    Map<String, Long> load() throws IOException {
        Map<String, Long> drains = new TreeMap<>();
        for (String name : files.names()) {
            try {
                drains.put(
                        new String(Base64.getUrlDecoder().decode(name), StandardCharsets.UTF_8),
                        Long.parseLong(files.read(name)));
            } catch (IllegalArgumentException e) {
                LOG.warn(
                        "{} in {} is no drain that was written whole; it counts for nothing.",
                        name,
                        files,
                        e);
            }
        }
        return drains;
    }

    void add(String taskManager, long since) {
        try {
            files.write(name(taskManager), Long.toString(since));
        } catch (IOException e) {
            LOG.warn(
                    "The drain of {} could not be written; it ends with the next job or JobManager.",
                    taskManager,
                    e);
        }
    }

    void remove(String taskManager) {
        try {
            files.delete(name(taskManager));
        } catch (IOException e) {
            LOG.warn("{} may be drained again with the next job or JobManager.", taskManager, e);
        }
    }

    private static String name(String taskManager) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(taskManager.getBytes(StandardCharsets.UTF_8));
    }
}
