package dev.drrs.runtime.answer;

import java.util.List;
import java.util.Map;

/**
 * A rescale, or one of its operators.
 *
 * @param vertexId null of a request for several operators, as both parallelisms
 * @param cause free text of who asked for it, null if none
 * @param reason why it ended so, null if nothing is to be said
 * @param continuedBy ids of the rescales that go on with it after a failover
 * @param minKeyGroups the fewest that would have to move
 * @param etaMs milliseconds to its end, null while that is not known
 * @param endedAt null while it goes on
 * @param durationMs milliseconds up to now if it goes on
 * @param suspensionMs by subtask: for how long it did not read at least one of its channels
 * @param flushMs by subtask: for how long it wrote out what its operators held
 * @param waits of subscales and key groups, milliseconds; of several operators all of theirs
 * @param mails what the plug-in did in the mailboxes of the owners, by kind, once key groups have
 *     moved
 * @param gcPauses in which TaskManagers of owners collected garbage, once key groups have moved
 * @param messages between the JobManager and tasks, both ways
 * @param checkpointHoldMs for how long periodic checkpoints were held back while key groups moved;
 *     of several operators the longest
 * @param parts one for each operator of a request for several
 */
public record RescaleStatus(
        String requestId,
        String vertexId,
        String vertexName,
        String phase,
        String strategy,
        String cause,
        String reason,
        List<String> continuedBy,
        Integer fromParallelism,
        Integer toParallelism,
        long minKeyGroups,
        Moved keyGroups,
        Moved bytes,
        Subscales subscales,
        Long etaMs,
        long acceptedAt,
        Long endedAt,
        long durationMs,
        List<Phase> phases,
        Records records,
        Map<Integer, Long> suspensionMs,
        Map<Integer, Long> flushMs,
        Waits waits,
        List<Mails> mails,
        List<GcPauses> gcPauses,
        long messages,
        long checkpointHoldMs,
        Exchange exchange,
        List<RescaleStatus> parts)
        implements Answer {

    /** Key groups, or bytes: the total of these is an estimate. */
    public record Moved(long moved, long total) {}

    public record Subscales(long open, long done, long total) {}

    /** One that was entered, and for how long it lasted or lasts; 0 of a last one. */
    public record Phase(String phase, long at, long durationMs, String reason) {}

    /**
     * Forwarded by old owners, kept back by new ones until their state was there, how often one of
     * those had its state fetched on demand, and in how many bins key groups came.
     */
    public record Records(long rerouted, long setAside, long fetchedOnDemand, long bins) {}

    /**
     * What a rescale was delayed by.
     *
     * @param propagation subscales: from the first signal at the old owner to the last one
     * @param alignment subscales: from the first signal at the old owner until key groups left
     * @param turn subscales: from when they were ready until they started
     * @param dependency key groups: from when they had left until they were at their new owner
     */
    public record Waits(Wait propagation, Wait alignment, Wait turn, Wait dependency) {}

    /** How many, and for how long. */
    public record Wait(long count, long totalMs, long longestMs) {}

    /** For how long such mails kept a subtask from its records, in microseconds. */
    public record Mails(String kind, long count, long p99Us, long maxUs) {}

    /** All threads of a TaskManager stood still meanwhile, also those of other jobs. */
    public record GcPauses(String taskManager, long count, long totalMs, long longestMs) {}

    /**
     * What went from subtask to subtask.
     *
     * @param stateBytes of {@code bytes} those of state
     * @param storedBytes of state that went through shared storage instead
     * @param busyMs the longest of them
     */
    public record Exchange(
            long bytes,
            long stateBytes,
            long storedBytes,
            long busyMs,
            double probeBytesPerSecond) {}
}
