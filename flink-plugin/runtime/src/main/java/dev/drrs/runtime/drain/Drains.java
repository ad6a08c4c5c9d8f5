package dev.drrs.runtime.drain;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.runtime.clusterframework.types.ResourceID;

/**
 * The TaskManagers that get no new work until they are undrained, by resource id. Kept in the
 * memory of this JobManager process only: a new one starts with none.
 *
 * <p>Thread-safe: written by REST threads, read in the main threads of ResourceManager and
 * JobMasters.
 */
public final class Drains {

    /** Resource id to the epoch milliseconds since when. */
    private static final Map<String, Long> DRAINED = new ConcurrentHashMap<>();

    /** Weak, as Flink does not say when a JobMaster is done with its blocklist. */
    private static final Set<DrainingBlocklist> BLOCKLISTS =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private Drains() {}

    /** Whether nothing new may be placed there. */
    public static boolean isDrained(ResourceID taskManager) {
        return !DRAINED.isEmpty() && DRAINED.containsKey(taskManager.getResourceIdString());
    }

    public static boolean isDrained(String taskManager) {
        return DRAINED.containsKey(taskManager);
    }

    /** What is drained, registered at present or not, with the epoch milliseconds since when. */
    public static Map<String, Long> all() {
        return new TreeMap<>(DRAINED);
    }

    /**
     * From now on no slot there is given to any job; slots that a job holds there without using
     * them go back.
     *
     * @return false if it was drained already
     */
    public static boolean add(String taskManager) {
        boolean fresh = DRAINED.putIfAbsent(taskManager, System.currentTimeMillis()) == null;
        blocklists().forEach(blocklist -> blocklist.drained(new ResourceID(taskManager)));
        return fresh;
    }

    /**
     * Lets the TaskManager be used again.
     *
     * @return false if it was not drained
     */
    public static boolean remove(String taskManager) {
        boolean was = DRAINED.remove(taskManager) != null;
        if (was) {
            blocklists().forEach(DrainingBlocklist::undrained);
        }
        return was;
    }

    /** Whether a ResourceManager or JobMaster of this process asks here; not so in a standby. */
    public static boolean areHonoured() {
        return !BLOCKLISTS.isEmpty();
    }

    static void register(DrainingBlocklist blocklist) {
        BLOCKLISTS.add(blocklist);
    }

    private static List<DrainingBlocklist> blocklists() {
        synchronized (BLOCKLISTS) {
            return List.copyOf(BLOCKLISTS);
        }
    }
}
