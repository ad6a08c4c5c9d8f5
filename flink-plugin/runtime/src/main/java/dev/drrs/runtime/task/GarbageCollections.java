package dev.drrs.runtime.task;

import com.sun.management.GarbageCollectionNotificationInfo;
import dev.drrs.runtime.message.CollectionPauses;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * The pauses in which this JVM has collected garbage. The JVM tells of one in a thread of its own,
 * soon after it. Any thread.
 */
public final class GarbageCollections {

    /** Listens from its first use on. */
    private static final class OfThisJvm {
        static final GarbageCollections INSTANCE = new GarbageCollections();

        static {
            ManagementFactory.getGarbageCollectorMXBeans().forEach(INSTANCE::listen);
        }
    }

    /** A moment: how many pauses there had been, and how long all of them. */
    public record Mark(long count, long millis) {}

    /** Of so many the longest one is known. */
    static final int KEPT = 1024;

    private final long[] last = new long[KEPT];
    private long count;
    private long millis;

    GarbageCollections() {}

    public static GarbageCollections ofThisJvm() {
        return OfThisJvm.INSTANCE;
    }

    /** Collectors that work beside the application call their whole cycles so. */
    private static boolean pauses(GarbageCollectorMXBean collector) {
        return !collector.getName().endsWith("Cycles");
    }

    private void listen(GarbageCollectorMXBean collector) {
        if (pauses(collector) && collector instanceof NotificationEmitter emitter) {
            emitter.addNotificationListener(
                    (notification, none) ->
                            add(
                                    GarbageCollectionNotificationInfo.from(
                                                    (CompositeData) notification.getUserData())
                                            .getGcInfo()
                                            .getDuration()),
                    notification ->
                            GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION
                                    .equals(notification.getType()),
                    null);
        }
    }

    synchronized void add(long pauseMillis) {
        last[(int) (count % KEPT)] = pauseMillis;
        count++;
        millis += pauseMillis;
    }

    public synchronized Mark mark() {
        return new Mark(count, millis);
    }

    /** What there has been since then. */
    public synchronized CollectionPauses since(Mark mark, String taskManager) {
        long pauses = count - mark.count;
        long longest = 0;
        for (long i = count - Math.min(pauses, KEPT); i < count; i++) {
            longest = Math.max(longest, last[(int) (i % KEPT)]);
        }
        return new CollectionPauses(taskManager, pauses, millis - mark.millis, longest);
    }
}
