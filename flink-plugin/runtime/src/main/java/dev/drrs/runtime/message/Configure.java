package dev.drrs.runtime.message;

import dev.drrs.protocol.Policies;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Strategy;
import java.util.Map;

/**
 * To an owner: the strategy of the rescale that begins.
 *
 * @param strategy by name
 * @param options by name; those that are missing have their defaults
 */
public record Configure(String strategy, Map<String, String> options) implements OfVertex {

    public Configure {
        options = Map.copyOf(options);
    }

    /**
     * What the task's gate is to go by.
     *
     * @throws IllegalStateException if this plug-in does not know the strategy
     */
    public Policies policies() {
        Strategy named =
                Strategies.byName(strategy)
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "There is no strategy "
                                                        + strategy
                                                        + " in this TaskManager's plug-in; there is "
                                                        + String.join(", ", Strategies.names())
                                                        + ". Put the jar of the JobManager into"
                                                        + " lib/ here and restart the TaskManager."));
        return named.policies(options);
    }
}
