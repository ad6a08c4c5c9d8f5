package dev.drrs.nexmark.sink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Writes each result to {@code results/} and its latency to {@code latency/} below a directory of
 * the machine that the sink's subtask runs on. Each attempt of a subtask has files of its own; what
 * it wrote after the last checkpoint before a failure is written again by the next attempt.
 */
public final class JsonLinesSink implements Sink<Result> {

    private final String directory;

    public JsonLinesSink(String directory) {
        this.directory = directory;
    }

    @Override
    public SinkWriter<Result> createWriter(WriterInitContext context) throws IOException {
        TaskInfo task = context.getTaskInfo();
        String job = context.getJobInfo().getJobId().toHexString().substring(0, 8);
        String file =
                "part-"
                        + task.getIndexOfThisSubtask()
                        + "-"
                        + job
                        + "-"
                        + task.getAttemptNumber()
                        + "-"
                        // A new JobManager counts attempts from 0 again.
                        + UUID.randomUUID().toString().substring(0, 8)
                        + ".jsonl";
        return new JsonLinesWriter(Path.of(directory), file, context.getProcessingTimeService());
    }
}
