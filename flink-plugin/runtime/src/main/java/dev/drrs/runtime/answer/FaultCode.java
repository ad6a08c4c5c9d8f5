package dev.drrs.runtime.answer;

/** The stable name of a fault in a request, and the HTTP status that goes with it. */
public enum FaultCode {
    MALFORMED_JSON(400),
    MALFORMED_REQUEST(400),
    UNKNOWN_JOB(404),
    UNKNOWN_VERTEX(404),
    AMBIGUOUS_VERTEX(400),
    NOT_ELASTIC(409),
    NOT_SUPPORTED(409),
    PARALLELISM_BELOW_ONE(400),
    PARALLELISM_UNCHANGED(400),
    ABOVE_CEILING(400),
    ABOVE_MAX_PARALLELISM(400),
    NOT_ENOUGH_SLOTS(409),
    RESCALE_IN_PROGRESS(409),
    UNKNOWN_STRATEGY(400),
    UNKNOWN_OPTION(400),
    PLAN_INCOMPLETE(400),
    PLAN_INVALID(400),
    PLUGIN_MISSING_ON_TASKMANAGER(409),
    JOB_NOT_RUNNING(409),
    UNKNOWN_RESCALE(404),
    NOT_ABORTABLE(409),
    UNKNOWN_TASK_MANAGER(404),
    TASK_MANAGER_DRAINED(409),
    NOT_DRAINED(409),
    TOO_LARGE(413),
    /**
     * Nobody can answer at the moment (leader election, time-out): the same request may work a
     * little later.
     */
    UNAVAILABLE(503),
    INTERNAL(500);

    private final int httpStatus;

    FaultCode(int httpStatus) {
        this.httpStatus = httpStatus;
    }

    public int httpStatus() {
        return httpStatus;
    }
}
