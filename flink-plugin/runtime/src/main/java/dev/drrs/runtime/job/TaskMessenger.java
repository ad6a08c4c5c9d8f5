package dev.drrs.runtime.job;

import dev.drrs.runtime.DrrsIds;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
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
    private final AtomicLong sent;

    public TaskMessenger(ElasticJob job, BiConsumer<Execution, Throwable> undeliverable) {
        this(job, undeliverable, new AtomicLong());
    }

    private TaskMessenger(
            ElasticJob job, BiConsumer<Execution, Throwable> undeliverable, AtomicLong sent) {
        this.job = job;
        this.undeliverable = undeliverable;
        this.sent = sent;
    }

    /** One that counts with this one, and tells somebody else what cannot be delivered. */
    public TaskMessenger telling(BiConsumer<Execution, Throwable> other) {
        return new TaskMessenger(job, other, sent);
    }

    /** How many were sent so far, delivered or not. */
    public long sent() {
        return sent.get();
    }

    public void send(Execution task, OperatorEvent event) {
        sent.incrementAndGet();
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
