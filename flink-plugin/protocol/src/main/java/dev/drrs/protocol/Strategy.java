package dev.drrs.protocol;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How key groups move, by name in a request: which policies, made of which options. Coordinator and
 * tasks are given name and options and make the same of them. No state, any thread.
 */
public interface Strategy {

    /** As in a request; lower case. */
    String name();

    /** Names of the options it understands. */
    Set<String> optionNames();

    /** All that is wrong with the options of a request. */
    List<PlanFault> check(Map<String, String> options);

    /**
     * @param options those that are missing have their defaults
     * @throws IllegalArgumentException if {@link #check} finds a fault
     */
    Policies policies(Map<String, String> options);
}
