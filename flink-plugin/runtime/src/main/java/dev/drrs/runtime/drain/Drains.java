package dev.drrs.runtime.drain;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TaskManagers that get no new work until they are undrained, by resource id. Kept in the
 * high-availability storage if there is one, else only in the memory of this JobManager process.
 *
 * <p>Thread-safe: written by REST threads, read in the main threads of ResourceManager and
 * JobMasters. Those who write, and who begin to lead, hold the class's monitor and may wait for the
 * storage; those who read do not.
 */
public final class Drains {

    /** Resource id to the epoch milliseconds since when. */
    private static final Map<String, Long> DRAINED = new ConcurrentHashMap<>();

    /** Weak, as Flink does not say when a JobMaster is done with its blocklist. */
    private static final Set<DrainingBlocklist> BLOCKLISTS =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private static final Logger LOG = LoggerFactory.getLogger(Drains.class);

    /** Empty without high availability. */
    private static Optional<DrainStore> store = Optional.empty();

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
    public static synchronized boolean add(String taskManager) {
        long now = System.currentTimeMillis();
        boolean fresh = !DRAINED.containsKey(taskManager);
        if (fresh) {
            store.ifPresent(kept -> kept.add(taskManager, now));
            DRAINED.put(taskManager, now);
        }
        blocklists().forEach(blocklist -> blocklist.drained(new ResourceID(taskManager)));
        return fresh;
    }

    /**
     * Lets the TaskManager be used again.
     *
     * @return false if it was not drained
     */
    public static synchronized boolean remove(String taskManager) {
        boolean was = DRAINED.remove(taskManager) != null;
        if (was) {
            store.ifPresent(kept -> kept.remove(taskManager));
            blocklists().forEach(DrainingBlocklist::undrained);
        }
        return was;
    }

    /** Whether a ResourceManager or JobMaster of this process asks here; not so in a standby. */
    public static boolean areHonoured() {
        return !BLOCKLISTS.isEmpty();
    }

    /**
     * A ResourceManager or JobMaster begins: this process leads, perhaps since now. What another
     * leader has written counts then, and nothing that this process remembers of an earlier time.
     */
    static synchronized void register(DrainingBlocklist blocklist, Configuration configuration) {
        store = DrainStore.of(configuration);
        if (store.isPresent()) {
            try {
                Map<String, Long> drains = store.get().load();
                DRAINED.keySet().retainAll(drains.keySet());
                DRAINED.putAll(drains);
            } catch (IOException e) {
                // A job must not fail for that.
                LOG.warn("The drained TaskManagers cannot be read: those known here count.", e);
            }
        }
        BLOCKLISTS.add(blocklist);
    }

    private static List<DrainingBlocklist> blocklists() {
        synchronized (BLOCKLISTS) {
            return List.copyOf(BLOCKLISTS);
        }
    }
}
