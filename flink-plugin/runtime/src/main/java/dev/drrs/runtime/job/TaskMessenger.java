package dev.drrs.runtime.job;

import dev.drrs.runtime.DrrsIds;
import java.io.IOException;
import java.util.Collection;
import java.util.function.BiConsumer;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.SerializedValue;

/**
 * Sends the plug-in's events to tasks. Events to one task arrive in the order sent; one that cannot
 * be delivered is told to the caller, who has to treat the task as lost. Main thread.
 */
public final class TaskMessenger {

    private final ElasticJob job;
    private final BiConsumer<Execution, Throwable> undeliverable;

    public TaskMessenger(ElasticJob job, BiConsumer<Execution, Throwable> undeliverable) {
        this.job = job;
        this.undeliverable = undeliverable;
    }

    public void send(Execution task, OperatorEvent event) {
        SerializedValue<OperatorEvent> serialized;
        try {
            serialized = new SerializedValue<>(event);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "event " + event.getClass().getSimpleName() + " cannot be serialized", e);
        }
        task.sendOperatorEvent(DrrsIds.OPERATOR_ID, serialized)
                .whenCompleteAsync(
                        (ack, failure) -> {
                            if (failure != null) {
                                undeliverable.accept(task, failure);
                            }
                        },
                        job.mainThread());
    }

    public void send(Collection<Execution> tasks, OperatorEvent event) {
        for (Execution task : tasks) {
            send(task, event);
        }
    }
}
