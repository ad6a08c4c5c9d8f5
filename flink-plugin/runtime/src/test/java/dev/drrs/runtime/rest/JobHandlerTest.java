package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.answer.Accepted;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.answer.Valid;
import dev.drrs.runtime.request.JobRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.runtime.dispatcher.UnavailableDispatcherOperationException;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.instance.HardwareDescription;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.rest.messages.taskmanager.TaskManagerInfo;
import org.apache.flink.runtime.scheduler.CoordinatorNotExistException;
import org.apache.flink.runtime.scheduler.ExecutionGraphInfo;
import org.apache.flink.runtime.taskexecutor.TaskExecutorMemoryConfiguration;
import org.apache.flink.util.SerializedValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobHandlerTest {

    private static final String OK = "{\"vertex\":\"count\",\"parallelism\":4}";

    @TempDir private Path directory;

    private final JobID job = new JobID();
    private final FakeCluster cluster = new FakeCluster();
    private final FakeMetrics metrics = new FakeMetrics();
    private final Configuration configuration = new Configuration();
    private final List<JobRequest> delivered = new ArrayList<>();

    @Test
    void malformedJsonIsAnsweredWithItsLineAndColumn() throws Exception {
        TestRestServer.Response response =
                rescale("{\"vertex\": \"count\",\n  \"parallelism\": x}");
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.onlyCode()).isEqualTo("MALFORMED_JSON");
        assertThat(response.message(0))
                .contains("at line 2, column")
                .doesNotContain("Source")
                .doesNotContain("\n");
    }

    @Test
    void aBodyThatEndsTooEarlyIsMalformed() throws Exception {
        TestRestServer.Response response = rescale("{\"vertex\": \"count\"");
        assertThat(response.onlyCode()).isEqualTo("MALFORMED_JSON");
        assertThat(response.message(0)).contains("at line 1, column").doesNotContain("Source");
    }

    @Test
    void anEmptyBodyIsMalformed() throws Exception {
        assertThat(rescale("").onlyCode()).isEqualTo("MALFORMED_JSON");
    }

    @Test
    void textBehindTheObjectIsMalformed() throws Exception {
        assertThat(rescale(OK + "{}").onlyCode()).isEqualTo("MALFORMED_JSON");
    }

    @Test
    void aFieldGivenTwiceIsMalformed() throws Exception {
        assertThat(rescale("{\"vertex\":\"a\",\"vertex\":\"b\",\"parallelism\":4}").onlyCode())
                .isEqualTo("MALFORMED_JSON");
    }

    @Test
    void aBodyThatIsNotUtf8IsMalformed() throws Exception {
        byte[] latin =
                "{\"vertex\":\"z\u00e4hler\",\"parallelism\":4}"
                        .getBytes(StandardCharsets.ISO_8859_1);
        try (TestRestServer server = server()) {
            assertThat(server.post(rescales(), latin).onlyCode()).isEqualTo("MALFORMED_JSON");
        }
    }

    @Test
    void aBodyAboveTheLimitIsTooLarge() throws Exception {
        TestRestServer.Response response = rescale("\"" + "x".repeat(1024 * 1024) + "\"");
        assertThat(response.status()).isEqualTo(413);
        assertThat(response.onlyCode()).isEqualTo("TOO_LARGE");
        assertThat(response.message(0)).contains("1048578").contains("1048576");
    }

    @Test
    void theLimitOfABodyIsAnOption() throws Exception {
        configuration.setString("drrs.rest.max-request-size", MemorySize.parse("10b").toString());
        assertThat(rescale(OK).onlyCode()).isEqualTo("TOO_LARGE");
    }

    @Test
    void faultsOfFormAndAnUnknownJobAreToldTogether() throws Exception {
        unknownJob();
        cluster.on(
                "requestJobStatus",
                arguments -> CompletableFuture.failedFuture(new FlinkJobNotFoundException(job)));
        TestRestServer.Response response =
                rescale("{\"vertex\":7,\"parallelism\":\"four\",\"speed\":1}");
        assertThat(codes(response))
                .containsExactlyInAnyOrder(
                        "MALFORMED_REQUEST",
                        "MALFORMED_REQUEST",
                        "MALFORMED_REQUEST",
                        "UNKNOWN_JOB");
    }

    @Test
    void aJobThatTheClusterDoesNotKnowIsUnknown() throws Exception {
        unknownJob();
        cluster.on(
                "requestJobStatus",
                arguments -> CompletableFuture.failedFuture(new FlinkJobNotFoundException(job)));
        cluster.on(
                "requestExecutionGraphInfo",
                arguments -> CompletableFuture.failedFuture(new FlinkJobNotFoundException(job)));
        for (String path : List.of("/drrs/vertices", "/drrs/rescales", "/drrs/rescales/r1")) {
            TestRestServer.Response response = get("/jobs/" + job + path);
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.onlyCode()).isEqualTo("UNKNOWN_JOB");
        }
    }

    @Test
    void anEndedJobThatWasNotElasticHasNoHistory() throws Exception {
        unknownJob();
        cluster.on(
                "requestJobStatus",
                arguments -> CompletableFuture.completedFuture(JobStatus.FINISHED));
        cluster.on(
                "requestExecutionGraphInfo",
                arguments ->
                        CompletableFuture.completedFuture(
                                new ExecutionGraphInfo(
                                        ArchivedExecutionGraph.createSparseArchivedExecutionGraph(
                                                job,
                                                "job",
                                                JobStatus.FINISHED,
                                                null,
                                                null,
                                                null,
                                                0))));
        for (String path : List.of("/drrs/rescales", "/drrs/rescales/r1")) {
            TestRestServer.Response response = get("/jobs/" + job + path);
            assertThat(response.onlyCode()).isEqualTo("JOB_NOT_RUNNING");
        }
    }

    @Test
    void aTextThatIsNoJobIdIsAnUnknownJob() throws Exception {
        TestRestServer.Response response = get("/jobs/nonsense/drrs/vertices");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.onlyCode()).isEqualTo("UNKNOWN_JOB");
    }

    @Test
    void anEndedJobIsNotRunning() throws Exception {
        unknownJob();
        cluster.on(
                "requestJobStatus",
                arguments -> CompletableFuture.completedFuture(JobStatus.FINISHED));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(409);
        assertThat(response.onlyCode()).isEqualTo("JOB_NOT_RUNNING");
        assertThat(response.message(0)).contains("FINISHED");
    }

    @Test
    void aJobThatIsBeingInitializedIsNotThereYet() throws Exception {
        deliveryFails(new UnavailableDispatcherOperationException("initializing"));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.onlyCode()).isEqualTo("UNAVAILABLE");
    }

    @Test
    void aSchedulerThatDoesNotKnowThePlugInMakesAJobNotElastic() throws Exception {
        deliveryFails(new CoordinatorNotExistException(new OperatorID()));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(409);
        assertThat(response.onlyCode()).isEqualTo("NOT_ELASTIC");
        assertThat(response.message(0)).doesNotContain("Exception");
    }

    @Test
    void anUnexpectedExceptionIsHidden() throws Exception {
        deliveryFails(new IllegalStateException("secret detail"));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.onlyCode()).isEqualTo("INTERNAL");
        assertThat(response.text())
                .doesNotContain("secret")
                .doesNotContain("Exception")
                .doesNotContain("\\n");
    }

    @Test
    void anExceptionOutOfTheGatewayItselfIsHidden() throws Exception {
        TestRestServer.Response response = get("/jobs/" + job + "/drrs/rescales");
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.onlyCode()).isEqualTo("INTERNAL");
        assertThat(response.text()).doesNotContain("not expected by this test");
    }

    @Test
    void aTimeOutIsUnavailable() throws Exception {
        deliveryFails(new TimeoutException("ask timed out"));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.onlyCode()).isEqualTo("UNAVAILABLE");
    }

    @Test
    void withoutALeaderThePortIsUnavailable() throws Exception {
        cluster.withoutLeaders();
        assertThat(rescale(OK).status()).isEqualTo(503);
    }

    @Test
    void theJobMastersAnswerIsPassedOnAsItIs() throws Exception {
        delivers(JobAnswer.accepted(new Accepted("r1")));
        TestRestServer.Response response = rescale(OK);
        assertThat(response.status()).isEqualTo(202);
        assertThat(response.text()).isEqualTo("{\"request_id\":\"r1\"}");
    }

    @Test
    void aRequestToRescaleReachesTheJobMasterWithItsBodyAndAViewOfTheCluster() throws Exception {
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        metrics.reportOf("tm-armed", "drrs", "armed", "1")
                .reportOf("tm-armed", "drrs", "version", AgentState.identity())
                .reportOf("tm-old", "drrs", "armed", "1")
                .reportOf("tm-other", "drrs", "armed", "1")
                .reportOf("tm-other", "drrs", "version", "0.0.9+abc")
                .reportOf("tm-bare", "Status.JVM.Memory.Heap", "Used", "1000")
                .reportOf("tm-half", "Status.JVM.ClassLoader", "ClassesLoaded", "1000")
                .reportOf("tm-broken", "drrs", "armed", "0");
        taskManagers("tm-armed", "tm-bare", "tm-half", "tm-broken", "tm-new", "tm-old", "tm-other");
        rescale(OK);
        JobRequest request = delivered.get(0);
        assertThat(request.verb()).isEqualTo(JobRequest.Verb.RESCALE);
        assertThat(request.body().operators().get(0).vertex()).isEqualTo("count");
        assertThat(request.body().operators().get(0).parallelism()).isEqualTo(4);
        assertThat(request.faults()).isEmpty();
        assertThat(request.requestId()).isNotBlank();
        assertThat(request.cluster().taskManagersWithoutPlugin())
                .containsExactly("tm-bare", "tm-broken", "tm-old", "tm-other (0.0.9+abc)");
        assertThat(request.cluster().freeSlots()).isEqualTo(7);
        assertThat(request.cluster().totalSlots()).isEqualTo(14);
        assertThat(request.cluster().heldSlots()).hasSize(7).containsEntry("tm-bare", 1);
        assertThat(request.cluster().elasticCluster()).isFalse();
    }

    @Test
    void faultsOfFormReachTheJobMasterWithWhatIsInOrder() throws Exception {
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        rescale("{\"vertex\":7,\"parallelism\":4,\"speed\":1}");
        JobRequest request = delivered.get(0);
        assertThat(request.body().operators().get(0).parallelism()).isEqualTo(4);
        assertThat(request.faults())
                .extracting(Faults.Fault::message)
                .satisfiesExactlyInAnyOrder(
                        m -> assertThat(m).startsWith("\"vertex\" must be a text"),
                        m -> assertThat(m).startsWith("Unknown field \"speed\""));
    }

    @Test
    void freeSlotsOfATaskManagerThatIsNotUsedDoNotCount() throws Exception {
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        cluster.on(
                "requestTaskManagerInfo",
                arguments ->
                        CompletableFuture.completedFuture(
                                List.of(info("tm-1"), info("tm-2", true), info("tm-3"))));
        rescale(OK);
        assertThat(delivered.get(0).cluster().freeSlots()).isEqualTo(2);
        assertThat(delivered.get(0).cluster().totalSlots()).isEqualTo(6);
    }

    @Test
    void theCallersOwnRequestIdIsKept() throws Exception {
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        rescale("{\"vertex\":\"count\",\"parallelism\":4,\"request_id\":\"mine-1\"}");
        assertThat(delivered.get(0).requestId()).isEqualTo("mine-1");
    }

    @Test
    void aBodyWithFaultsOfFormStillReachesTheJobMasterForItsFurtherFaults() throws Exception {
        delivers(Faults.answer(FaultCode.UNKNOWN_VERTEX, "no such vertex"));
        rescale("{\"vertex\":\"nope\",\"parallelism\":\"four\"}");
        assertThat(delivered).hasSize(1);
    }

    @Test
    void onNativeKubernetesTheClusterIsElastic() throws Exception {
        configuration.set(DeploymentOptions.TARGET, "kubernetes-application");
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        rescale(OK);
        assertThat(delivered.get(0).cluster().elasticCluster()).isTrue();
    }

    @Test
    void eachEndpointHasItsVerb() throws Exception {
        delivers(JobAnswer.ok(new Valid(true, List.of())));
        try (TestRestServer server = server()) {
            server.get("/jobs/" + job + "/drrs/vertices");
            server.get(rescales());
            server.get(rescales() + "/r1");
            server.post(rescales() + "/r2/abort", "");
            server.get("/v1" + rescales() + "/r3");
        }
        assertThat(delivered.stream().map(request -> request.verb() + ":" + request.requestId()))
                .containsExactly(
                        "VERTICES:null", "HISTORY:null", "STATUS:r1", "ABORT:r2", "STATUS:r3");
    }

    private void delivers(JobAnswer answer) {
        cluster.on(
                "deliverCoordinationRequestToCoordinator",
                arguments -> {
                    assertThat(arguments[0]).isEqualTo(job);
                    assertThat(arguments[1]).isEqualTo("drrs");
                    try {
                        delivered.add(
                                (JobRequest)
                                        ((SerializedValue<?>) arguments[2])
                                                .deserializeValue(getClass().getClassLoader()));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    return CompletableFuture.completedFuture(answer);
                });
        slots();
    }

    private void deliveryFails(Exception failure) {
        cluster.on(
                "deliverCoordinationRequestToCoordinator",
                arguments -> CompletableFuture.failedFuture(new CompletionException(failure)));
        slots();
    }

    private void unknownJob() {
        deliveryFails(new FlinkJobNotFoundException(job));
    }

    private void slots() {
        taskManagers();
    }

    private void taskManagers(String... ids) {
        List<TaskManagerInfo> infos = Stream.of(ids).map(JobHandlerTest::info).toList();
        cluster.on("requestTaskManagerInfo", arguments -> CompletableFuture.completedFuture(infos));
    }

    static TaskManagerInfo info(String id) {
        return info(id, false);
    }

    /** Two slots, one of them free. */
    private static TaskManagerInfo info(String id, boolean blocked) {
        return new TaskManagerInfo(
                new ResourceID(id),
                "pekko.tcp://flink@10.0.0.7:6122/user/rpc/taskmanager_0",
                1,
                2,
                3L,
                2,
                1,
                0,
                ResourceProfile.ZERO,
                ResourceProfile.ZERO,
                new HardwareDescription(1, 1L, 1L, 1L),
                new TaskExecutorMemoryConfiguration(1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L),
                blocked);
    }

    private TestRestServer.Response rescale(String body) throws Exception {
        try (TestRestServer server = server()) {
            return server.post(rescales(), body);
        }
    }

    private TestRestServer.Response get(String path) throws Exception {
        try (TestRestServer server = server()) {
            return server.get(path);
        }
    }

    private TestRestServer server() throws Exception {
        return new TestRestServer(directory, cluster, metrics, configuration);
    }

    private String rescales() {
        return "/jobs/" + job + "/drrs/rescales";
    }

    private static List<String> codes(TestRestServer.Response response) {
        return response.json().path("errors").findValuesAsText("code");
    }
}
