package dev.drrs.runtime.request;

import dev.drrs.runtime.GoldenFile;
import dev.drrs.runtime.answer.Accepted;
import dev.drrs.runtime.answer.Answer;
import dev.drrs.runtime.answer.AnswerJson;
import dev.drrs.runtime.answer.DrainState;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobVertices;
import dev.drrs.runtime.answer.Overview;
import dev.drrs.runtime.answer.Valid;
import dev.drrs.runtime.history.Statuses;
import dev.drrs.runtime.history.TestFacts;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One answer of each kind, as it goes out; {@code pyctl/tests/test_answers.py} reads the same. */
class AnswersTest {

    private static void assertWritten(String name, Answer answer) throws IOException {
        GoldenFile.assertSame("answers/" + name + ".json", AnswerJson.write(answer));
    }

    @Test
    void theOverview() throws IOException {
        assertWritten(
                "overview",
                new Overview(
                        "0.1.0",
                        "0a1b2c",
                        "2.3.0",
                        false,
                        "a class could not be woven",
                        "stopped: a rescale began",
                        List.of(new Overview.JoinPoint("rest", "WebMonitorEndpoint", true)),
                        List.of(
                                new Overview.TaskManager(
                                        "tm-1",
                                        "10.0.0.7:6122",
                                        true,
                                        "0.1.0",
                                        "0a1b2c",
                                        "done in 9100 ms",
                                        true,
                                        3,
                                        1),
                                new Overview.TaskManager(
                                        "tm-2",
                                        "10.0.0.8:6122",
                                        null,
                                        null,
                                        null,
                                        null,
                                        false,
                                        3,
                                        3)),
                        List.of(new Overview.Drain("tm-1", TestFacts.START)),
                        true));
    }

    @Test
    void aDrain() throws IOException {
        assertWritten("drain", new DrainState("tm-1", true, false));
    }

    @Test
    void theVertices() throws IOException {
        List<JobVertices.Slot> slots =
                List.of(new JobVertices.Slot(0, "tm-1"), new JobVertices.Slot(1, null));
        assertWritten(
                "vertices",
                new JobVertices(
                        "c".repeat(32),
                        "counts",
                        true,
                        null,
                        "r1",
                        List.of("r1", "r2"),
                        new JobVertices.Slots(3, 6),
                        List.of(
                                new JobVertices.TaskManager(
                                        "tm-1",
                                        true,
                                        1,
                                        List.of(
                                                new JobVertices.FixedTask(
                                                        "Source: numbers",
                                                        0,
                                                        "it is not a keyed operator")))),
                        List.of(
                                new JobVertices.Vertex(
                                        "a".repeat(32),
                                        "d".repeat(32),
                                        "count",
                                        "running count",
                                        List.of("count", "sink"),
                                        true,
                                        null,
                                        List.of("Field cache of Count may be out of date."),
                                        1,
                                        2,
                                        2,
                                        List.of(0),
                                        new int[] {0, 0},
                                        List.of(
                                                new JobVertices.Subtask(
                                                        0, "tm-1", "host", "RUNNING", 2, 30, 900,
                                                        slots)),
                                        List.of(new JobVertices.Dormant(1, slots)),
                                        List.of(
                                                new JobVertices.KeyGroup(0, 10, 5, 400),
                                                new JobVertices.KeyGroup(1, 20, 6, 500))),
                                new JobVertices.Vertex(
                                        "b".repeat(32),
                                        "e".repeat(32),
                                        null,
                                        "sink",
                                        List.of("count", "sink"),
                                        false,
                                        "it scales together with count",
                                        List.of(),
                                        1,
                                        2,
                                        2,
                                        List.of(),
                                        new int[0],
                                        List.of(),
                                        List.of(),
                                        List.of()))));
    }

    @Test
    void anAcceptedRequest() throws IOException {
        assertWritten("accepted", new Accepted("r1"));
    }

    @Test
    void aRequestThatWasOnlyChecked() throws IOException {
        assertWritten("valid", new Valid(true, List.of(new Valid.Operator("e".repeat(32), 32, 8))));
    }

    @Test
    void theStatusOfARescale() throws IOException {
        assertWritten("rescale", Statuses.of(TestFacts.migrating(), TestFacts.NOW));
    }

    @Test
    void theRescalesOfAJob() throws IOException {
        assertWritten(
                "rescales",
                Statuses.all(List.of(TestFacts.ofSeveral(), TestFacts.migrating()), TestFacts.NOW));
    }

    @Test
    void whatIsWrongWithARequest() throws IOException {
        GoldenFile.assertSame(
                "answers/errors.json",
                new Faults()
                        .add(FaultCode.ABOVE_CEILING, "Parallelism 9 is above the ceiling 8.")
                        .add(FaultCode.NOT_ENOUGH_SLOTS, "Parallelism 9 needs 7 more slots.")
                        .toAnswer()
                        .json());
    }
}
