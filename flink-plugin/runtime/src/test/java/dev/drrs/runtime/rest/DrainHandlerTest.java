package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.drain.TestBlocklist;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainHandlerTest {

    @TempDir private Path directory;
    private TestRestServer server;
    private TestBlocklist blocklist;

    @BeforeEach
    void start() throws Exception {
        blocklist = new TestBlocklist("10.0.0.7:6122-a", "tm-2");
        FakeCluster cluster =
                new FakeCluster()
                        .on(
                                "requestTaskManagerInfo",
                                arguments ->
                                        CompletableFuture.completedFuture(
                                                List.of(
                                                        JobHandlerTest.info("10.0.0.7:6122-a"),
                                                        JobHandlerTest.info("tm-2"))));
        server = new TestRestServer(directory, cluster, new FakeMetrics());
    }

    @AfterEach
    void stop() throws Exception {
        Drains.all().keySet().forEach(Drains::remove);
        server.close();
    }

    @Test
    void aDrainIsListedUntilItIsTakenBack() throws Exception {
        TestRestServer.Response drained = drain("10.0.0.7:6122-a");
        assertThat(drained.status()).isEqualTo(200);
        assertThat(drained.json().path("drained").asBoolean()).isTrue();
        assertThat(drained.json().path("before").asBoolean()).isFalse();
        assertThat(blocklist.blocks("10.0.0.7:6122-a")).isTrue();
        assertThat(blocklist.blocks("tm-2")).isFalse();
        assertThat(
                        server.get("/drrs/overview")
                                .json()
                                .path("drains")
                                .findValuesAsText("task_manager"))
                .containsExactly("10.0.0.7:6122-a");

        TestRestServer.Response undrained = server.delete("/drrs/drains/10.0.0.7%3A6122-a");
        assertThat(undrained.status()).isEqualTo(200);
        assertThat(undrained.json().path("drained").asBoolean()).isFalse();
        assertThat(blocklist.blocks("10.0.0.7:6122-a")).isFalse();
        assertThat(server.get("/drrs/overview").json().path("drains")).isEmpty();
    }

    @Test
    void aSecondDrainOfTheSameSaysThatItWasDrainedBefore() throws Exception {
        drain("tm-2");
        assertThat(drain("tm-2").json().path("before").asBoolean()).isTrue();
        assertThat(Drains.all()).containsOnlyKeys("tm-2");
    }

    @Test
    void anUnknownTaskManagerIsNotDrained() throws Exception {
        TestRestServer.Response response = drain("tm-3");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.onlyCode()).isEqualTo("UNKNOWN_TASK_MANAGER");
        assertThat(response.message(0)).contains("tm-3", "10.0.0.7:6122-a, tm-2");
        assertThat(Drains.all()).isEmpty();
    }

    @Test
    void whatIsNotDrainedCannotBeUndrained() throws Exception {
        drain("10.0.0.7:6122-a");
        TestRestServer.Response response = server.delete("/drrs/drains/tm-2");
        assertThat(response.status()).isEqualTo(409);
        assertThat(response.onlyCode()).isEqualTo("NOT_DRAINED");
        assertThat(response.message(0)).contains("tm-2", "drained: 10.0.0.7:6122-a");
        assertThat(server.delete("/drrs/drains/tm-3").onlyCode()).isEqualTo("UNKNOWN_TASK_MANAGER");
    }

    @Test
    void aDrainedTaskManagerThatIsGoneCanBeUndrained() throws Exception {
        Drains.add("tm-gone");
        assertThat(server.delete("/drrs/drains/tm-gone").status()).isEqualTo(200);
        assertThat(Drains.all()).isEmpty();
    }

    @Test
    void allFaultsOfTheBodyComeInOneAnswer() throws Exception {
        TestRestServer.Response response = server.post("/drrs/drains", "{\"id\":\"tm-2\"}");
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.json().path("errors").findValuesAsText("code"))
                .containsExactly("MALFORMED_REQUEST", "MALFORMED_REQUEST");
        assertThat(server.post("/drrs/drains", "{").onlyCode()).isEqualTo("MALFORMED_JSON");
        assertThat(server.post("/drrs/drains", "{\"task_manager\":7}").onlyCode())
                .isEqualTo("MALFORMED_REQUEST");
    }

    private TestRestServer.Response drain(String id) throws Exception {
        return server.post("/drrs/drains", "{\"task_manager\":\"" + id + "\"}");
    }
}
