package dev.drrs.protocol;

import java.util.List;
import java.util.Optional;

/** All strategies there are. */
public final class Strategies {

    /** Name of the one that is meant where none is named. */
    public static final String DEFAULT = DrrsStrategy.NAME;

    private static final List<Strategy> ALL =
            List.of(
                    new DrrsStrategy(),
                    new ReferenceStrategy(),
                    new MecesStrategy(),
                    new LazyStrategy(),
                    new RemoteStrategy(),
                    new MegaphoneStrategy(),
                    new OtfsStrategy());

    private Strategies() {}

    public static List<Strategy> all() {
        return ALL;
    }

    public static Optional<Strategy> byName(String name) {
        return ALL.stream().filter(s -> s.name().equals(name)).findFirst();
    }

    public static List<String> names() {
        return ALL.stream().map(Strategy::name).toList();
    }
}
