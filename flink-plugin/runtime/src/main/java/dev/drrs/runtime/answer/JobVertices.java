package dev.drrs.runtime.answer;

import java.util.List;

/**
 * A job's keyed operators, and where its tasks are.
 *
 * @param reason why it is not elastic, null if it is
 * @param rescale the first of the rescales in progress, null if there is none
 * @param rescales ids of those in progress
 */
public record JobVertices(
        String jobId,
        String jobName,
        boolean elastic,
        String reason,
        String rescale,
        List<String> rescales,
        Slots slots,
        List<TaskManager> taskManagers,
        List<Vertex> vertices)
        implements Answer {

    /** Of the cluster: those that a job could get, and all; -1 if not known. */
    public record Slots(int free, int total) {}

    /**
     * One that the job uses.
     *
     * @param id resource id
     * @param unusedSlots slots there that the job holds without using them
     */
    public record TaskManager(String id, boolean drained, int unusedSlots, List<FixedTask> fixed) {}

    /** A task that no rescale moves, and why. */
    public record FixedTask(String name, int subtask, String reason) {}

    /**
     * Lists are empty where it cannot be rescaled.
     *
     * @param uid null if the job gave none
     * @param reason why it cannot be rescaled, null if it can
     * @param group labels of what scales together, the keyed vertex first; empty if it scales alone
     * @param parallelism number of active subtasks
     * @param placement key group to subtask
     */
    public record Vertex(
            String vertexId,
            String operatorId,
            String uid,
            String name,
            List<String> group,
            boolean supported,
            String reason,
            List<String> warnings,
            int parallelism,
            int ceiling,
            int maxParallelism,
            List<Integer> active,
            int[] placement,
            List<Subtask> subtasks,
            List<Dormant> dormant,
            List<KeyGroup> keyGroups) {}

    /**
     * An active one.
     *
     * @param taskManager null while it has no slot, as host
     * @param state of its task, as Flink names it
     * @param records sent for the key groups that it has now
     * @param bytes of their state, an estimate
     */
    public record Subtask(
            int index,
            String taskManager,
            String host,
            String state,
            long keyGroups,
            long records,
            long bytes,
            List<Slot> slots) {}

    /** One that is not active, with the slots it would get. */
    public record Dormant(int index, List<Slot> slots) {}

    /**
     * @param group a number of this answer only: equal ones share a slot
     * @param taskManager null if it would be a new slot
     */
    public record Slot(int group, String taskManager) {}

    /**
     * @param records sent so far
     * @param bytes an estimate
     */
    public record KeyGroup(int id, long records, long entries, long bytes) {}
}
