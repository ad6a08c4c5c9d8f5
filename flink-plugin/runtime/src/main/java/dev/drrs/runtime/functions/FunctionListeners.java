package dev.drrs.runtime.functions;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.util.ExceptionUtils;

/**
 * Those functions of a chain of operators that want to hear which key groups leave and come: they
 * implement {@code dev.drrs.api.KeyGroupListener}. The interface is looked for by its name, since a
 * job may bring a copy of its own in its class loader. Mailbox thread.
 */
public final class FunctionListeners {

    static final String INTERFACE = "dev.drrs.api.KeyGroupListener";

    private static final String LEAVING = "keyGroupsLeaving";
    private static final String ARRIVED = "keyGroupsArrived";

    private record Listener(Object function, Method leaving, Method arrived) {}

    private final List<Listener> listeners = new ArrayList<>();
    private final int maxParallelism;

    /**
     * @param chain the operators of a task
     * @param maxParallelism of the keyed operator: how its keys are dealt out to key groups
     */
    public FunctionListeners(Iterable<? extends StreamOperator<?>> chain, int maxParallelism) {
        this.maxParallelism = maxParallelism;
        for (StreamOperator<?> operator : chain) {
            for (Object function : UserCode.in(operator)) {
                Class<?> listener = interfaceOf(function.getClass());
                if (listener != null) {
                    listeners.add(
                            new Listener(
                                    function,
                                    method(listener, LEAVING),
                                    method(listener, ARRIVED)));
                }
            }
        }
    }

    /** Whether a class of the user's hears of key groups. */
    public static boolean isListener(Class<?> type) {
        return interfaceOf(type) != null;
    }

    private static Class<?> interfaceOf(Class<?> type) {
        return SuperTypes.of(type).stream()
                .filter(one -> one.getName().equals(INTERFACE))
                .findFirst()
                .orElse(null);
    }

    private static Method method(Class<?> listener, String name) {
        try {
            return listener.getMethod(name, int[].class, Predicate.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    "the job has a "
                            + INTERFACE
                            + " without the method "
                            + name
                            + ": build it with the one of this version of the plug-in",
                    e);
        }
    }

    /**
     * At the old owner, while their state is still there.
     *
     * @return whether anybody has heard of it
     */
    public boolean leaving(int[] keyGroups) throws Exception {
        for (Listener listener : listeners) {
            call(listener.function, listener.leaving, keyGroups);
        }
        return !listeners.isEmpty();
    }

    /** At the new owner, when their state is there and before anything else of them. */
    public void arrived(int[] keyGroups) throws Exception {
        for (Listener listener : listeners) {
            call(listener.function, listener.arrived, keyGroups);
        }
    }

    private void call(Object function, Method method, int[] keyGroups) throws Exception {
        BitSet among = new BitSet(maxParallelism);
        for (int keyGroup : keyGroups) {
            among.set(keyGroup);
        }
        Predicate<Object> isAmong =
                key -> among.get(KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism));
        try {
            method.invoke(function, keyGroups.clone(), isAmong);
        } catch (InvocationTargetException e) {
            ExceptionUtils.rethrowException(e.getCause());
        }
    }
}
