package dev.drrs.runtime.history;

import dev.drrs.protocol.Migration.Progress;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What there is to say of a rescale at one moment: what a status is made from, and what is kept for
 * the next JobManager ({@link JournalDocument}). Times are epoch milliseconds. Any thread.
 *
 * @param acceptedAt when it was asked for
 * @param phases of all of it, in the order entered
 * @param continuedBy ids of the rescales that go on with it after a failover
 */
public record Facts(
        String requestId,
        String strategy,
        String cause,
        Phase phase,
        long acceptedAt,
        List<Entered> phases,
        List<Part> parts,
        List<String> continuedBy) {

    /**
     * One of its operators.
     *
     * @param figuresOf how many key groups {@code movedBytes} is of
     * @param migratingSince -1 unless key groups move there now
     * @param suspension milliseconds, by subtask
     * @param flush as suspension
     * @param waits of subscales and key groups
     * @param checkpointHold milliseconds
     * @param exchangeStateBytes of {@code exchangeBytes} those of state
     * @param storedBytes of state, in shared storage
     * @param exchangeBusy milliseconds
     * @param probe bytes per second, 0 if none was made
     */
    public record Part(
            String vertexId,
            String vertexName,
            Phase phase,
            int fromParallelism,
            int toParallelism,
            int minKeyGroups,
            Progress progress,
            int figuresOf,
            long movedBytes,
            long migratingSince,
            List<Entered> phases,
            Map<Integer, Long> suspension,
            Map<Integer, Long> flush,
            Waits waits,
            List<Mails> mails,
            List<Pauses> pauses,
            long messages,
            long checkpointHold,
            long exchangeBytes,
            long exchangeStateBytes,
            long storedBytes,
            long exchangeBusy,
            double probe) {

        private Part failed(String reason, long now) {
            return phase.isTerminal()
                    ? this
                    : new Part(
                            vertexId,
                            vertexName,
                            Phase.FAILED,
                            fromParallelism,
                            toParallelism,
                            minKeyGroups,
                            progress,
                            figuresOf,
                            movedBytes,
                            migratingSince,
                            Facts.failed(phases, reason, now),
                            suspension,
                            flush,
                            waits,
                            mails,
                            pauses,
                            messages,
                            checkpointHold,
                            exchangeBytes,
                            exchangeStateBytes,
                            storedBytes,
                            exchangeBusy,
                            probe);
        }
    }

    /**
     * What subscales, and last their key groups, waited for.
     *
     * @param propagation from the first signal at the old owner to the last one
     * @param alignment from the first signal at the old owner until the key groups left
     * @param turn from ready to started
     * @param dependency of a key group: from when it had left until it was at its new owner
     */
    public record Waits(Wait propagation, Wait alignment, Wait turn, Wait dependency) {

        public static final Waits NONE = new Waits(Wait.NONE, Wait.NONE, Wait.NONE, Wait.NONE);
    }

    /**
     * How long several waited.
     *
     * @param totalMs milliseconds, of all of them
     * @param longestMs milliseconds
     */
    public record Wait(long count, long totalMs, long longestMs) {

        static final Wait NONE = new Wait(0, 0, 0);
    }

    /**
     * Mails of the plug-in at the owners, of one kind.
     *
     * @param p99Us microseconds
     * @param maxUs microseconds
     */
    public record Mails(String kind, long count, long p99Us, long maxUs) {}

    /**
     * In which a TaskManager collected garbage.
     *
     * @param totalMs milliseconds
     * @param longestMs milliseconds
     */
    public record Pauses(String taskManager, long count, long totalMs, long longestMs) {}

    /** It and its parts have failed if they had not ended: nobody is left who goes on with them. */
    public Facts failed(String reason) {
        if (phase.isTerminal()) {
            return this;
        }
        long now = System.currentTimeMillis();
        return new Facts(
                requestId,
                strategy,
                cause,
                Phase.FAILED,
                acceptedAt,
                failed(phases, reason, now),
                parts.stream().map(part -> part.failed(reason, now)).toList(),
                continuedBy);
    }

    private static List<Entered> failed(List<Entered> phases, String reason, long now) {
        List<Entered> all = new ArrayList<>(phases);
        all.add(new Entered(Phase.FAILED, Math.max(now, Phases.end(phases).at()), reason));
        return all;
    }

    public Facts continuedBy(List<String> ids) {
        return new Facts(requestId, strategy, cause, phase, acceptedAt, phases, parts, ids);
    }
}
