package dev.drrs.runtime.answer;

import dev.drrs.runtime.request.JobRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;

/**
 * A JobMaster's answer to a {@link JobRequest}, sent to the caller as it is.
 *
 * @param httpStatus status code of the response
 * @param json the whole body
 */
public record JobAnswer(int httpStatus, String json) implements CoordinationResponse {

    /** The request was served and is done: 200. */
    public static JobAnswer ok(Answer answer) {
        return new JobAnswer(200, AnswerJson.write(answer));
    }

    /** The request was taken and goes on in the background: 202. */
    public static JobAnswer accepted(Accepted answer) {
        return new JobAnswer(202, AnswerJson.write(answer));
    }
}
