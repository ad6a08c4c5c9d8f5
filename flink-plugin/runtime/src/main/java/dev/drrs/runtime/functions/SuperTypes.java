package dev.drrs.runtime.functions;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a class is, extends and implements. Any thread. */
final class SuperTypes {

    private SuperTypes() {}

    /** The class itself first, then what is nearest to it. */
    static Set<Class<?>> of(Class<?> type) {
        Set<Class<?>> met = new LinkedHashSet<>();
        Deque<Class<?>> open = new ArrayDeque<>(List.of(type));
        while (!open.isEmpty()) {
            Class<?> next = open.poll();
            if (met.add(next)) {
                open.addAll(List.of(next.getInterfaces()));
                if (next.getSuperclass() != null) {
                    open.add(next.getSuperclass());
                }
            }
        }
        return met;
    }
}
