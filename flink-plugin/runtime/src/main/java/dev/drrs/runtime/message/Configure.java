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
 * @param folder of the rescale in shared storage, null if its state goes over exchanges
 */
public record Configure(String strategy, Map<String, String> options, String folder)
        implements OfVertex {

    public Configure {
        options = Map.copyOf(options);
    }

    /** Of a rescale whose state goes over exchanges. */
    public Configure(String strategy, Map<String, String> options) {
        this(strategy, options, null);
    }

    /** Whether its state is to go through shared storage, and there is none. */
    public boolean lacksFolder() {
        return folder == null && policies().stores();
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
