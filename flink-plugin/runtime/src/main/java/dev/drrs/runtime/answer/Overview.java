package dev.drrs.runtime.answer;

import java.util.List;

/**
 * The plug-in in the JobManager and in each TaskManager.
 *
 * @param build a digest of what is in the jar, "unknown" if it was not loaded as one
 * @param reason why it is not armed, null if it is
 * @param rehearsal what became of the JobManager's: none, under way, done in .. ms, stopped: ..,
 *     failed: ..
 * @param drains also of TaskManagers that are not registered at present
 * @param startsTaskManagers whether new ones come by themselves when slots are missing
 */
public record Overview(
        String version,
        String build,
        String flinkVersion,
        boolean armed,
        String reason,
        String rehearsal,
        List<JoinPoint> joinPoints,
        List<TaskManager> taskManagers,
        List<Drain> drains,
        boolean startsTaskManagers)
        implements Answer {

    /** A method of Flink that the plug-in weaves into. */
    public record JoinPoint(String name, String target, boolean ok) {}

    /**
     * @param id resource id
     * @param armed null while its first metrics have not arrived
     * @param version null if it has no plug-in, tells none, or its metrics have not arrived
     * @param build as version
     * @param rehearsal what became of it: none, under way, done in .. ms, stopped: .., failed: ..;
     *     null as version
     */
    public record TaskManager(
            String id,
            String address,
            Boolean armed,
            String version,
            String build,
            String rehearsal,
            boolean drained,
            int slots,
            int freeSlots) {}

    /** A TaskManager on which nothing new is placed. */
    public record Drain(String taskManager, long since) {}
}
