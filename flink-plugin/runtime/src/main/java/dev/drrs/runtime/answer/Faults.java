package dev.drrs.runtime.answer;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All faults of one request, in the order found: a caller gets them in one answer and need not come
 * back for the next. For one thread.
 */
public final class Faults {

    /** One fault; {@code message} is one plain sentence with the numbers and what to do. */
    public record Fault(FaultCode code, String message) implements Serializable {}

    private final List<Fault> found = new ArrayList<>();

    /** An answer with a single fault. */
    public static JobAnswer answer(FaultCode code, String message) {
        return new Faults().add(code, message).toAnswer();
    }

    /** Adds a fault; returns this. */
    public Faults add(FaultCode code, String message) {
        found.add(new Fault(code, message));
        return this;
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    public boolean has(FaultCode code) {
        return found.stream().anyMatch(fault -> fault.code() == code);
    }

    /** What was added so far, in order. */
    public List<Fault> all() {
        return Collections.unmodifiableList(found);
    }

    /**
     * The answer that carries every fault. Its status is the faults' common one; where they differ,
     * a failure of the server wins, otherwise it is a plain 400.
     *
     * @throws IllegalStateException if there is no fault
     */
    public JobAnswer toAnswer() {
        if (found.isEmpty()) {
            throw new IllegalStateException("no fault to answer with");
        }
        Errors errors =
                new Errors(
                        found.stream()
                                .map(
                                        fault ->
                                                new Errors.Entry(
                                                        fault.code().name(), fault.message()))
                                .toList());
        return new JobAnswer(httpStatus(), AnswerJson.write(errors));
    }

    private int httpStatus() {
        int[] statuses =
                found.stream()
                        .mapToInt(fault -> fault.code().httpStatus())
                        .distinct()
                        .sorted()
                        .toArray();
        int highest = statuses[statuses.length - 1];
        return statuses.length == 1 || highest >= 500 ? highest : 400;
    }
}
