package dev.drrs.runtime.rest;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.answer.AnswerJson;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import dev.drrs.runtime.request.JobRequest.Verb;
import java.util.Collection;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.webmonitor.history.ArchivedJson;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of a job that has ended. It hangs on Flink's own archive of the execution graph, as
 * the text that REST answers, so that it is there exactly as long: in the Dispatcher's store, in
 * memory or on disk, and in the files for the history server.
 *
 * <p>{@link #keep} in the JobMaster's main thread; the rest in any thread, of an archive that does
 * not change any more.
 */
public final class EndedJobs {

    private static final Logger LOG = LoggerFactory.getLogger(EndedJobs.class);

    private static final ObjectMapper JSON = new ObjectMapper();

    private EndedJobs() {}

    /**
     * An archive of the graph was made: at the job's end the history goes with it. The job's end
     * does not depend on it: a fault is logged.
     */
    public static void keep(AccessExecutionGraph graph, Object archive) {
        ElasticJob job =
                graph.getState().isGloballyTerminalState()
                        ? ElasticJobs.get(graph.getJobID())
                        : null;
        if (job == null || !(archive instanceof HookHolder holder)) {
            return;
        }
        try {
            holder.drrsHook(AnswerJson.write(job.rescales().historyAtEnd(graph.getState())));
        } catch (RuntimeException e) {
            LOG.error("The history of rescales of job {} is lost with it.", job.id(), e);
        }
    }

    /**
     * The answer to a {@link Verb#HISTORY} or {@link Verb#STATUS} of a job that has ended; null if
     * it was not elastic.
     */
    public static JobAnswer answer(AccessExecutionGraph archive, Verb verb, String requestId) {
        String history = history(archive);
        if (history == null || verb == Verb.HISTORY) {
            return history == null ? null : new JobAnswer(200, history);
        }
        for (JsonNode status : rescales(history)) {
            if (status.path("request_id").asText().equals(requestId)) {
                return new JobAnswer(200, status.toString());
            }
        }
        return Faults.answer(
                FaultCode.UNKNOWN_RESCALE,
                "The job has ended and had no rescale "
                        + requestId
                        + "; its history lists those it has had.");
    }

    /**
     * Adds the history to what the history server is to show of the job, under REST's own paths.
     */
    public static void addTo(Collection<ArchivedJson> archived, AccessExecutionGraph archive) {
        String history = history(archive);
        if (history == null) {
            return;
        }
        String path = "/jobs/" + archive.getJobID() + "/drrs/rescales";
        archived.add(new ArchivedJson(path, history));
        for (JsonNode status : rescales(history)) {
            archived.add(
                    new ArchivedJson(
                            path + "/" + status.path("request_id").asText(), status.toString()));
        }
    }

    private static String history(Object archive) {
        return archive instanceof HookHolder holder ? (String) holder.drrsHook() : null;
    }

    private static JsonNode rescales(String history) {
        try {
            return JSON.readTree(history).path("rescales");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the history was written as JSON", e);
        }
    }
}
