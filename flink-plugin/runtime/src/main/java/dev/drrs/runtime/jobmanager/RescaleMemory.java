package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.DrrsOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a JobManager knows of the rescales that ones before it were asked for, and what it leaves to
 * the next one: the status of each, and where vertices are still to go. Main thread; {@link #load}
 * on the thread that builds the JobMaster.
 */
final class RescaleMemory {

    private static final Logger LOG = LoggerFactory.getLogger(RescaleMemory.class);

    private static final int VERSION = 1;
    private static final String LOST = "the JobManager was lost";

    private final RescaleJournal journal;

    /** Statuses as REST shows them, newest first. */
    private final List<ObjectNode> past = new ArrayList<>();

    private RescaleMemory(RescaleJournal journal) {
        this.journal = journal;
    }

    /**
     * Reads what earlier JobManagers left.
     *
     * @param recoveries are told where vertices are still to go
     */
    static RescaleMemory load(ElasticJob job, Recoveries recoveries) {
        RescaleJournal journal = RescaleJournal.of(job.configuration(), job.id());
        RescaleMemory memory = new RescaleMemory(journal);
        JsonNode document;
        try {
            document = journal.load();
        } catch (IOException e) {
            LOG.warn("What is known of earlier rescales of job {} cannot be read.", job.id(), e);
            return memory;
        }
        if (document == null || document.path("version").asInt() != VERSION) {
            return memory;
        }
        for (JsonNode status : document.path("rescales")) {
            memory.past.add(StatusJson.end((ObjectNode) status, LOST));
        }
        for (JsonNode recovery : document.path("recoveries")) {
            ElasticVertex vertex =
                    job.vertex(JobVertexID.fromHexString(recovery.path("vertex_id").asText()));
            if (vertex != null) {
                recoveries.remember(Recovery.fromJson(vertex, recovery, job.settings()));
            }
        }
        return memory;
    }

    /** Statuses of the rescales that earlier JobManagers were asked for, newest first. */
    List<ObjectNode> past() {
        return past;
    }

    /** The status of a rescale of an earlier JobManager, or null. */
    ObjectNode find(String requestId) {
        return past.stream()
                .filter(status -> status.path("request_id").asText().equals(requestId))
                .findFirst()
                .orElse(null);
    }

    /**
     * Leaves it to the next JobManager; done when it is written.
     *
     * @param statuses of the rescales of this JobManager, newest first
     */
    CompletableFuture<Void> save(
            List<ObjectNode> statuses, Collection<Recovery> recoveries, ElasticJob job) {
        int size = Math.max(1, job.configuration().get(DrrsOptions.HISTORY_SIZE));
        while (!past.isEmpty() && past.size() + statuses.size() > size) {
            past.remove(past.size() - 1);
        }
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("version", VERSION);
        ArrayNode rescales = document.putArray("rescales");
        statuses.forEach(rescales::add);
        past.forEach(rescales::add);
        ArrayNode targets = document.putArray("recoveries");
        recoveries.forEach(recovery -> targets.add(recovery.toJson()));
        return journal.save(document);
    }

    /**
     * Ends it.
     *
     * @param forGood whether the job is over
     */
    void close(boolean forGood) {
        journal.close(forGood);
    }
}
