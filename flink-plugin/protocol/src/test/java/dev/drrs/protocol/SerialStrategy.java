package dev.drrs.protocol;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Differs from {@code drrs} in every policy that it can without other signals: nothing overtakes a
 * record that waits, key groups come in the order of the plan one at a time, and a subscale is not
 * even registered before the one in front of it is over. All state is copied ahead.
 */
final class SerialStrategy implements Strategy {

    /** One subscale after the other, from its registration to its end. */
    static final class OneByOne implements StartRule {

        @Override
        public boolean registers(Subscale next, Registered registered) {
            return registered.open() == 0;
        }

        @Override
        public Subscale toStart(List<Subscale> ready, Running running) {
            return ready.get(0);
        }
    }

    @Override
    public String name() {
        return "serial";
    }

    @Override
    public Set<String> optionNames() {
        return Set.of();
    }

    @Override
    public List<PlanFault> check(Map<String, String> options) {
        return List.of();
    }

    @Override
    public Policies policies(Map<String, String> options) {
        return new Policies(
                Units.BOUNDED,
                new OneByOne(),
                new DirectSignals(),
                new PlanOrder(1),
                new SetAsideLimit(0, 0),
                new CopyAhead(2, 0));
    }
}
