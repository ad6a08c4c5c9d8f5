package dev.drrs.runtime.jobmanager;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the rescales of a job leave to the next JobManager: one small JSON document in the
 * high-availability storage; without high availability nothing is kept.
 *
 * <p>The placement is not in it: that is state of the job, and comes from the checkpoint. So a
 * document that could not be written, or that an old leader wrote too late, costs history and never
 * a record.
 *
 * <p>Each version is a file of its own and the one before it is deleted afterwards, since not every
 * file system replaces a file in one step. Writes run one after the other on a thread of its own;
 * {@link #load} on the thread that builds the JobMaster, the rest in the main thread.
 */
final class RescaleJournal {

    private static final Logger LOG = LoggerFactory.getLogger(RescaleJournal.class);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREFIX = "rescales-";

    private final Path directory;
    private final ExecutorService writer;
    private long version;

    private RescaleJournal(Path directory, ExecutorService writer) {
        this.directory = directory;
        this.writer = writer;
    }

    static RescaleJournal of(Configuration configuration, JobID job) {
        if (!HighAvailabilityMode.isHighAvailabilityModeActivated(configuration)) {
            return new RescaleJournal(null, null);
        }
        Path storage =
                HighAvailabilityServicesUtils.getClusterHighAvailableStoragePath(configuration);
        return new RescaleJournal(
                new Path(new Path(storage, "drrs"), job.toHexString()),
                Executors.newSingleThreadExecutor(
                        new ExecutorThreadFactory("drrs-journal-" + job.toHexString())));
    }

    /**
     * The newest document that was written whole, or null.
     *
     * @throws IOException if the storage cannot be read
     */
    JsonNode load() throws IOException {
        if (directory == null) {
            return null;
        }
        List<Path> files = files();
        files.sort(Comparator.comparingLong(RescaleJournal::version).reversed());
        for (Path file : files) {
            version = Math.max(version, version(file));
            try (FSDataInputStream in = file.getFileSystem().open(file)) {
                JsonNode document =
                        JSON.readTree(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                if (document.isObject()) {
                    return document;
                }
            } catch (JsonProcessingException e) {
                LOG.info("{} was not written to its end; the version before it is taken.", file);
            }
        }
        return null;
    }

    /** Writes the document; the future is done, never with a failure, when it is there or lost. */
    CompletableFuture<Void> save(JsonNode document) {
        if (directory == null) {
            return CompletableFuture.completedFuture(null);
        }
        long number = ++version;
        return CompletableFuture.runAsync(() -> write(number, document.toString()), writer);
    }

    private void write(long number, String document) {
        try {
            List<Path> older = files();
            Path file = new Path(directory, PREFIX + number);
            FileSystem system = file.getFileSystem();
            try (FSDataOutputStream out = system.create(file, FileSystem.WriteMode.OVERWRITE)) {
                out.write(document.getBytes(StandardCharsets.UTF_8));
            }
            for (Path old : older) {
                if (version(old) < number) {
                    system.delete(old, false);
                }
            }
        } catch (IOException e) {
            LOG.warn(
                    "The rescales of this job could not be written to {}: a new JobManager will not know of the latest.",
                    directory,
                    e);
        }
    }

    /**
     * Ends it.
     *
     * @param forGood whether the job is over, so that no JobManager will ask again
     */
    void close(boolean forGood) {
        if (directory == null) {
            return;
        }
        if (forGood) {
            writer.execute(this::delete);
        }
        writer.shutdown();
    }

    /** Waits for the writer to end, which {@link #close} has told to. */
    boolean isDone(long seconds) throws InterruptedException {
        return directory == null || writer.awaitTermination(seconds, TimeUnit.SECONDS);
    }

    private void delete() {
        try {
            directory.getFileSystem().delete(directory, true);
        } catch (IOException e) {
            LOG.warn("{} could not be deleted, though its job is over.", directory, e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        FileSystem system = directory.getFileSystem();
        FileStatus[] found = system.exists(directory) ? system.listStatus(directory) : null;
        if (found != null) {
            for (FileStatus status : found) {
                if (version(status.getPath()) > 0) {
                    files.add(status.getPath());
                }
            }
        }
        return files;
    }

    /** The version in a file's name; 0 of a file that is not ours. */
    private static long version(Path file) {
        String name = file.getName();
        String number = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
        return number.matches("[1-9][0-9]{0,17}") ? Long.parseLong(number) : 0;
    }
}
