package dev.drrs.runtime.run;

import dev.drrs.protocol.Policies;
import dev.drrs.protocol.Strategy;
import dev.drrs.runtime.message.Configure;
import java.util.HashMap;
import java.util.Map;

/**
 * The strategy of a request.
 *
 * @param options that the request itself has
 * @param effective those that hold: of the request, else of the job
 * @param policies what the strategy makes of them
 */
public record StrategyChoice(
        String name,
        Map<String, String> options,
        Map<String, String> effective,
        Policies policies) {

    public StrategyChoice {
        options = Map.copyOf(options);
        effective = Map.copyOf(effective);
    }

    /**
     * @throws IllegalArgumentException if the strategy finds a fault in the options
     */
    public static StrategyChoice of(
            Strategy strategy, Map<String, String> options, Map<String, String> ofJob) {
        Map<String, String> effective = together(strategy, options, ofJob);
        return new StrategyChoice(
                strategy.name(), options, effective, strategy.policies(effective));
    }

    /**
     * Tells tasks, which make the same policies of it.
     *
     * @param folder of the rescale in shared storage, or null
     */
    public Configure configure(String folder) {
        return new Configure(name, effective, folder);
    }

    /** Whether state goes through shared storage. */
    public boolean stores() {
        return policies.stores();
    }

    /** The options that hold: those of the request, else those of the job. */
    public static Map<String, String> together(
            Strategy strategy, Map<String, String> options, Map<String, String> ofJob) {
        Map<String, String> together = new HashMap<>(ofJob);
        together.keySet().retainAll(strategy.optionNames());
        together.putAll(options);
        return together;
    }
}
