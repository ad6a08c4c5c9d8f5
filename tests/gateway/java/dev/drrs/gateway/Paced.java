package dev.drrs.gateway;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.MapFunction;

/**
 * Lets elements of a job through at a rate until the test releases the job; then as fast as they come. So however slow
 * the machine is, there are elements left when the test has done what it wants to do.
 */
record Paced<T>(String job, int perSecond) implements MapFunction<T, T> {

    private static final Set<String> RELEASED = ConcurrentHashMap.newKeySet();

    static void release(String job) {
        RELEASED.add(job);
    }

    @Override
    public T map(T element) {
        if (!RELEASED.contains(job)) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) / perSecond);
        }
        return element;
    }
}
