package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;

/** What the simulation runs with: all strategies there are, and one of its own. */
final class SimStrategies {

    private SimStrategies() {}

    static List<Strategy> all() {
        List<Strategy> all = new ArrayList<>(Strategies.all());
        all.add(new SerialStrategy());
        return all;
    }

    static Strategy byName(String name) {
        return all().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
    }

    static List<String> names() {
        return all().stream().map(Strategy::name).toList();
    }
}
