package dev.drrs.protocol;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How key groups move, by name in a request. What differs between strategies and is not a number
 * becomes a method here when the second one comes; the machinery asks for nothing it does not use.
 */
public interface Strategy {

    /** As in a request; lower case. */
    String name();

    /** Names of the options it understands. */
    Set<String> optionNames();

    /** All that is wrong with the options of a request. */
    List<Fault> check(Map<String, String> options);

    /**
     * @throws IllegalArgumentException if {@link #check} finds a fault
     */
    Settings settings(Map<String, String> options);

    /**
     * What a gate and a migration need to know.
     *
     * @param setAsideLimit {@code records} 0: no record scheduling, the first one waits in its
     *     channel
     * @param pullWindow key groups of a subscale asked for at a time
     * @param subscaleConcurrency started subscales a subtask may be in at a time
     */
    record Settings(SetAsideLimit setAsideLimit, int pullWindow, int subscaleConcurrency) {}
}
