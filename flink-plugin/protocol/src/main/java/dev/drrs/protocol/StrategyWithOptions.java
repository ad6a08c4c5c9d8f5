package dev.drrs.protocol;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** A strategy whose options are {@link NumberOptions}, which also bear its name. */
abstract class StrategyWithOptions implements Strategy {

    private final NumberOptions options;

    StrategyWithOptions(NumberOptions options) {
        this.options = options;
    }

    /**
     * @param values of all options, defaults for those that were not given
     */
    abstract Policies policiesOf(Map<String, Long> values);

    @Override
    public final String name() {
        return options.strategy();
    }

    @Override
    public final Set<String> optionNames() {
        return options.names();
    }

    @Override
    public final List<PlanFault> check(Map<String, String> given) {
        return options.check(given);
    }

    @Override
    public final Policies policies(Map<String, String> given) {
        return policiesOf(options.values(given));
    }
}
