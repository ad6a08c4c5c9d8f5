package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Strategy;
import java.util.HashMap;
import java.util.Map;

/**
 * The strategy of a request.
 *
 * @param options that the request itself has
 * @param settings what they make together with those of the job
 */
record StrategyChoice(String name, Map<String, String> options, Strategy.Settings settings) {

    StrategyChoice {
        options = Map.copyOf(options);
    }

    /**
     * @throws IllegalArgumentException if the strategy finds a fault in the options
     */
    static StrategyChoice of(
            Strategy strategy, Map<String, String> options, Map<String, String> ofJob) {
        return new StrategyChoice(
                strategy.name(), options, strategy.settings(together(strategy, options, ofJob)));
    }

    /** The options that hold: those of the request, else those of the job. */
    static Map<String, String> together(
            Strategy strategy, Map<String, String> options, Map<String, String> ofJob) {
        Map<String, String> together = new HashMap<>(ofJob);
        together.keySet().retainAll(strategy.optionNames());
        together.putAll(options);
        return together;
    }
}
