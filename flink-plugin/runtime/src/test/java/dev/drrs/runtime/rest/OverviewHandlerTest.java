package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.AgentState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverviewHandlerTest {

    @TempDir private Path directory;

    @AfterEach
    void disarm() {
        AgentState.notArmed("unknown", "test over");
        AgentState.loadedFrom("unknown");
    }

    @Test
    void theOverviewSaysWhatIsArmed() throws Exception {
        AgentState.armed(
                "0.1.0", List.of(new AgentState.Point("rest", "WebMonitorEndpoint", true, null)));
        JsonNode json =
                overview(
                        new FakeMetrics()
                                .reportOf("tm-1", "drrs", "armed", "1")
                                .reportOf("tm-1", "drrs", "version", "0.1.0+unknown")
                                .reportOf("tm-1", "drrs", "rehearsal", "done in 9 ms"),
                        "tm-1",
                        "tm-2");
        assertThat(json.path("version").asText()).isEqualTo("0.1.0");
        assertThat(json.path("flink_version").asText()).isNotBlank();
        assertThat(json.path("armed").asBoolean()).isTrue();
        assertThat(json.path("reason").isNull()).isTrue();
        assertThat(json.path("rehearsal").asText()).isEqualTo("none");
        assertThat(json.path("join_points").toString())
                .isEqualTo("[{\"name\":\"rest\",\"target\":\"WebMonitorEndpoint\",\"ok\":true}]");
        assertThat(json.path("task_managers").toString())
                .isEqualTo(
                        "[{\"id\":\"tm-1\",\"address\":\"10.0.0.7:6122\",\"armed\":true,\"version\":\"0.1.0\",\"build\":\"unknown\",\"rehearsal\":\"done in 9 ms\",\"drained\":false,"
                                + "\"slots\":2,\"free_slots\":1},"
                                + "{\"id\":\"tm-2\",\"address\":\"10.0.0.7:6122\",\"armed\":null,\"version\":null,\"build\":null,\"rehearsal\":null,\"drained\":false,"
                                + "\"slots\":2,\"free_slots\":1}]");
        assertThat(json.path("drains").toString()).isEqualTo("[]");
    }

    @Test
    void aTaskManagerWithAnotherPlugInIsNotArmed() throws Exception {
        AgentState.armed("0.1.0", List.of());
        AgentState.loadedFrom("abc");
        FakeMetrics metrics =
                new FakeMetrics()
                        .reportOf("tm-older", "drrs", "armed", "1")
                        .reportOf("tm-older", "drrs", "version", "0.0.9+abc")
                        .reportOf("tm-other-build", "drrs", "armed", "1")
                        .reportOf("tm-other-build", "drrs", "version", "0.1.0+def")
                        .reportOf("tm-before-versions", "drrs", "armed", "1")
                        .reportOf("tm-same", "drrs", "armed", "1")
                        .reportOf("tm-same", "drrs", "version", "0.1.0+abc");
        JsonNode json =
                overview(metrics, "tm-older", "tm-other-build", "tm-before-versions", "tm-same");
        assertThat(json.path("build").asText()).isEqualTo("abc");
        assertThat(json.path("task_managers").findValuesAsText("armed"))
                .containsExactly("false", "false", "false", "true");
        assertThat(json.path("task_managers").get(0).path("version").asText()).isEqualTo("0.0.9");
        assertThat(json.path("task_managers").get(1).path("build").asText()).isEqualTo("def");
        assertThat(json.path("task_managers").get(2).path("version").isNull()).isTrue();
    }

    @Test
    void theOverviewSaysWhyTheJobManagerIsNoLongerArmed() throws Exception {
        AgentState.armed("0.1.0", List.of());
        AgentState.broken("a class could not be woven");
        JsonNode json = overview(new FakeMetrics());
        assertThat(json.path("armed").asBoolean()).isFalse();
        assertThat(json.path("reason").asText()).isEqualTo("a class could not be woven");
    }

    @Test
    void withoutALeaderTheOverviewIsUnavailable() throws Exception {
        try (TestRestServer server =
                new TestRestServer(
                        directory, new FakeCluster().withoutLeaders(), new FakeMetrics())) {
            assertThat(server.get("/drrs/overview").status()).isEqualTo(503);
        }
    }

    private JsonNode overview(FakeMetrics metrics, String... taskManagers) throws Exception {
        FakeCluster cluster =
                new FakeCluster()
                        .on(
                                "requestTaskManagerInfo",
                                arguments ->
                                        CompletableFuture.completedFuture(
                                                List.of(taskManagers).stream()
                                                        .map(JobHandlerTest::info)
                                                        .toList()));
        try (TestRestServer server = new TestRestServer(directory, cluster, metrics)) {
            TestRestServer.Response response = server.get("/drrs/overview");
            assertThat(response.status()).isEqualTo(200);
            return response.json();
        }
    }
}
