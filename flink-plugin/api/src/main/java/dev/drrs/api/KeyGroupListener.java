package dev.drrs.api;

import java.util.function.Predicate;

/**
 * For a function of a keyed operator, or of an operator chained behind it, that keeps something of
 * its keys outside of Flink's state: hears which key groups move while the job runs.
 *
 * <p>On stock Flink a subtask has the same keys from its start to its end. Under a live rescale
 * keys leave a subtask, change elsewhere, and may come back. A field with what is in keyed state as
 * well (a cache) is then out of date, and what is only in a field (a buffer) is in the wrong place.
 * So at {@link #keyGroupsLeaving} a cache forgets the keys that leave, and a buffer is written out:
 *
 * <pre>{@code
 * public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
 *     cache.keySet().removeIf(isAmong);
 * }
 * }</pre>
 *
 * <p>A job jar may contain this class; without the plug-in nobody calls it. The plug-in looks for
 * the interface by its name, so it does not matter which class loader has it.
 *
 * <p>All calls come in the thread that processes records and timers. An exception fails the task.
 */
public interface KeyGroupListener {

    /**
     * Key groups are about to leave this subtask; it gets no further record and no timer of them,
     * unless they come back.
     *
     * <p>Called while their state is still here, with no key set: keyed state cannot be used. What
     * is written to somewhere else must be there on return, as in a checkpoint. What is emitted
     * goes out before anything that is made of these key groups elsewhere.
     *
     * @param keyGroups their numbers
     * @param isAmong whether a key (as the operator's key selector returns it) is in one of them;
     *     may only be used during the call
     * @throws Exception if the job is to fail
     */
    void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) throws Exception;

    /**
     * Key groups have come to this subtask while it runs: their state is here, of a large key group
     * the first part of it, and no record and no timer of them has been processed yet. Not called
     * for those that it starts with.
     *
     * <p>Called with no key set: keyed state cannot be used.
     *
     * @param keyGroups their numbers
     * @param isAmong as in {@link #keyGroupsLeaving}
     * @throws Exception if the job is to fail
     */
    default void keyGroupsArrived(int[] keyGroups, Predicate<Object> isAmong) throws Exception {}
}
