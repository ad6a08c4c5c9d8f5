package dev.drrs.runtime.history;

import dev.drrs.runtime.storage.HighAvailabilityFiles;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
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
final class Journal {

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREFIX = "rescales-";

    /** Null without high availability, as the writer. */
    private final HighAvailabilityFiles files;

    private final ExecutorService writer;
    private long version;

    private Journal(HighAvailabilityFiles files, ExecutorService writer) {
        this.files = files;
        this.writer = writer;
    }

    static Journal of(Configuration configuration, JobID job) {
        return HighAvailabilityFiles.of(configuration, "drrs/" + job.toHexString())
                .map(
                        files ->
                                new Journal(
                                        files,
                                        Executors.newSingleThreadExecutor(
                                                new ExecutorThreadFactory(
                                                        "drrs-journal-" + job.toHexString()))))
                .orElseGet(() -> new Journal(null, null));
    }

    /**
     * The newest document that was written whole, or null.
     *
     * @throws IOException if the storage cannot be read
     */
    JsonNode load() throws IOException {
        if (files == null) {
            return null;
        }
        List<String> names = files.names();
        names.sort(Comparator.comparingLong(Journal::version).reversed());
        for (String name : names) {
            long number = version(name);
            if (number == 0) {
                continue;
            }
            version = Math.max(version, number);
            try {
                JsonNode document = JSON.readTree(files.read(name));
                if (document.isObject()) {
                    return document;
                }
            } catch (JsonProcessingException e) {
                LOG.info(
                        "{} in {} was not written to its end; the version before it is taken.",
                        name,
                        files);
            }
        }
        return null;
    }

    /** Writes the document; the future is done, never with a failure, when it is there or lost. */
    CompletableFuture<Void> save(JsonNode document) {
        if (files == null) {
            return CompletableFuture.completedFuture(null);
        }
        long number = ++version;
        return CompletableFuture.runAsync(() -> write(number, document.toString()), writer);
    }

    private void write(long number, String document) {
        try {
            List<String> older = files.names();
            files.write(PREFIX + number, document);
            for (String old : older) {
                if (version(old) > 0 && version(old) < number) {
                    files.delete(old);
                }
            }
        } catch (IOException e) {
            LOG.warn(
                    "The rescales of this job could not be written to {}: a new JobManager will not know of the latest.",
                    files,
                    e);
        }
    }

    /**
     * Ends it.
     *
     * @param forGood whether the job is over, so that no JobManager will ask again
     */
    void close(boolean forGood) {
        if (files == null) {
            return;
        }
        if (forGood) {
            writer.execute(this::delete);
        }
        writer.shutdown();
    }

    /** Waits for the writer to end, which {@link #close} has told to. */
    boolean isDone(long seconds) throws InterruptedException {
        return files == null || writer.awaitTermination(seconds, TimeUnit.SECONDS);
    }

    private void delete() {
        try {
            files.deleteAll();
        } catch (IOException e) {
            LOG.warn("{} could not be deleted, though its job is over.", files, e);
        }
    }

    /** The version in a file's name; 0 of a file that is not ours. */
    private static long version(String name) {
        String number = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
        return number.matches("[1-9][0-9]{0,17}") ? Long.parseLong(number) : 0;
    }
}
