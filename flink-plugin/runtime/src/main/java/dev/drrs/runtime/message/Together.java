package dev.drrs.runtime.message;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From the JobManager to a task: messages that came up at the same time, to be handled in order.
 *
 * @param messages two or more, none of this class
 */
public record Together(ArrayList<OperatorEvent> messages) implements OperatorEvent {

    /** Them as one message; one alone as it is. */
    public static OperatorEvent of(List<OperatorEvent> messages) {
        return messages.size() == 1 ? messages.get(0) : new Together(new ArrayList<>(messages));
    }
}
