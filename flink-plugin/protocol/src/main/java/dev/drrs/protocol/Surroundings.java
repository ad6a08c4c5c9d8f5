package dev.drrs.protocol;

import java.util.Map;
import java.util.Set;

/**
 * Where the subtasks of an operator run, as far as it matters for who is active after a rescale.
 *
 * @param hosts active subtask to TaskManager; one whose TaskManager is not known is left out
 * @param others TaskManager to what it runs beside the operator's subtasks; left out: nothing
 * @param avoid dormant subtasks that would be put where nothing may be placed
 */
public record Surroundings(
        Map<Integer, String> hosts, Map<String, Others> others, Set<Integer> avoid) {

    /** In the order in which a TaskManager is worth making free. */
    public enum Others {
        NONE,
        /** What other rescales could move. */
        ELASTIC,
        /** What stays: sources, sinks, other jobs. */
        FIXED
    }

    public Surroundings {
        hosts = Map.copyOf(hosts);
        others = Map.copyOf(others);
        avoid = Set.copyOf(avoid);
    }

    /** Nothing is known. */
    public static Surroundings unknown() {
        return new Surroundings(Map.of(), Map.of(), Set.of());
    }

    Others others(String host) {
        return others.getOrDefault(host, Others.NONE);
    }
}
