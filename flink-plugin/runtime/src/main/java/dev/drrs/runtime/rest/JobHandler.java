package dev.drrs.runtime.rest;

import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.request.JobRequest;
import dev.drrs.runtime.request.RequestJson;
import dev.drrs.runtime.request.RescaleRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.dispatcher.UnavailableDispatcherOperationException;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.scheduler.CoordinatorNotExistException;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedValue;

/**
 * An endpoint below {@code /jobs/:jobid}: checks the request's form and hands it to the job's
 * JobMaster.
 */
@ChannelHandler.Sharable
final class JobHandler extends JsonHandler {

    /** Names of the parameters in the endpoints' paths. */
    static final String JOB_ID = "jobid";

    static final String RESCALE_ID = "rescaleid";

    private final JobRequest.Verb verb;
    private final ClusterReader cluster;
    private final Duration timeout;

    JobHandler(
            JobRequest.Verb verb,
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Map<String, String> responseHeaders,
            long maxBody,
            ClusterReader cluster,
            Duration timeout) {
        super(leaderRetriever, responseHeaders, maxBody);
        this.verb = verb;
        this.cluster = cluster;
        this.timeout = timeout;
    }

    @Override
    CompletableFuture<JobAnswer> answer(Call call) {
        Faults faults = new Faults();
        String requestId = call.path().get(RESCALE_ID);
        RescaleRequest body = null;
        if (verb == JobRequest.Verb.RESCALE) {
            String text = RequestJson.text(call.body(), faults);
            body = text == null ? null : RescaleRequest.parse(text, faults);
            if (body == null) {
                return CompletableFuture.completedFuture(faults.toAnswer());
            }
            requestId = body.requestId() == null ? UUID.randomUUID().toString() : body.requestId();
        }
        String jobText = call.path().get(JOB_ID);
        JobID jobId;
        try {
            jobId = JobID.fromHexString(jobText);
        } catch (IllegalArgumentException e) {
            faults.add(
                    FaultCode.UNKNOWN_JOB,
                    "\"" + jobText + "\" is no job id: those are 32 hexadecimal digits.");
            return CompletableFuture.completedFuture(faults.toAnswer());
        }
        return deliver(call.gateway(), jobId, requestId, body, faults);
    }

    /** A JobMaster that answers joins the faults of form found so far with its own. */
    private CompletableFuture<JobAnswer> deliver(
            RestfulGateway gateway,
            JobID jobId,
            String requestId,
            RescaleRequest body,
            Faults faults) {
        return view().thenCompose(
                        view ->
                                gateway.deliverCoordinationRequestToCoordinator(
                                        jobId,
                                        JobRequest.COORDINATOR_UID,
                                        serialized(
                                                new JobRequest(
                                                        verb, requestId, body, faults.all(), view)),
                                        timeout))
                .thenApply(JobAnswer.class::cast)
                .handle(
                        (answer, failure) ->
                                failure == null
                                        ? CompletableFuture.completedFuture(answer)
                                        : withoutAnswer(
                                                gateway,
                                                jobId,
                                                requestId,
                                                faults,
                                                ExceptionUtils.stripCompletionException(failure)))
                .thenCompose(answer -> answer);
    }

    /**
     * Only these two verbs need a look at the cluster: a status that is polled each second must not
     * cost one.
     */
    private CompletableFuture<JobRequest.ClusterView> view() {
        return switch (verb) {
            case VERTICES, RESCALE -> cluster.view();
            case STATUS, HISTORY, ABORT ->
                    CompletableFuture.completedFuture(JobRequest.ClusterView.unknown());
        };
    }

    private CompletableFuture<JobAnswer> withoutAnswer(
            RestfulGateway gateway,
            JobID jobId,
            String requestId,
            Faults faults,
            Throwable failure) {
        if (caused(failure, FlinkJobNotFoundException.class)) {
            return verb == JobRequest.Verb.HISTORY || verb == JobRequest.Verb.STATUS
                    ? ofEnded(gateway, jobId, requestId, faults)
                    : notRunning(gateway, jobId, faults);
        }
        if (caused(failure, UnavailableDispatcherOperationException.class)) {
            // Also while a new JobManager takes the job over: a client waits as for a new leader.
            faults.add(
                    FaultCode.UNAVAILABLE,
                    "Job " + jobId + " is being initialized; try again in a moment.");
            return CompletableFuture.completedFuture(faults.toAnswer());
        }
        if (caused(failure, CoordinatorNotExistException.class)) {
            faults.add(
                    FaultCode.NOT_ELASTIC,
                    "Job "
                            + jobId
                            + " is not elastic: its scheduler (adaptive or batch) is not one the plug-in works with;"
                            + " run it as a streaming job with jobmanager.scheduler: default.");
            return CompletableFuture.completedFuture(faults.toAnswer());
        }
        return CompletableFuture.failedFuture(failure);
    }

    /** A job that has ended leaves its history to Flink's archive of it. */
    private CompletableFuture<JobAnswer> ofEnded(
            RestfulGateway gateway, JobID jobId, String requestId, Faults faults) {
        return gateway.requestExecutionGraphInfo(jobId, timeout)
                .thenApply(
                        info -> EndedJobs.answer(info.getArchivedExecutionGraph(), verb, requestId))
                .exceptionally(
                        failure -> {
                            if (caused(failure, FlinkJobNotFoundException.class)) {
                                return null;
                            }
                            throw new CompletionException(
                                    ExceptionUtils.stripCompletionException(failure));
                        })
                .thenCompose(
                        answer ->
                                answer == null
                                        ? notRunning(gateway, jobId, faults)
                                        : CompletableFuture.completedFuture(answer));
    }

    /** The Dispatcher says "not found" of an ended job, too: the status tells them apart. */
    private CompletableFuture<JobAnswer> notRunning(
            RestfulGateway gateway, JobID jobId, Faults faults) {
        return gateway.requestJobStatus(jobId, timeout)
                .handle(
                        (status, failure) -> {
                            if (failure == null) {
                                faults.add(
                                        FaultCode.JOB_NOT_RUNNING,
                                        "Job " + jobId + " is not running: it is " + status + ".");
                            } else {
                                faults.add(
                                        FaultCode.UNKNOWN_JOB,
                                        "The cluster has no job "
                                                + jobId
                                                + "; GET /jobs lists those it has.");
                            }
                            return faults.toAnswer();
                        });
    }

    private static boolean caused(Throwable failure, Class<? extends Throwable> type) {
        return ExceptionUtils.findThrowable(failure, type).isPresent();
    }

    private static SerializedValue<CoordinationRequest> serialized(JobRequest request) {
        try {
            return new SerializedValue<>(request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
