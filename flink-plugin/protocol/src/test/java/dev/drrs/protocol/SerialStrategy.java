package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.List;
import java.util.Map;

/**
 * One subscale after the other, each from its registration to its end; nothing overtakes a record
 * that waits, and all state is copied ahead. The example of docs/strategies.md.
 */
final class SerialStrategy extends StrategyWithOptions {

    static final String PULL_WINDOW = "drrs.serial.pull-window";

    private static final NumberOptions OPTIONS =
            new NumberOptions("serial", Map.of(PULL_WINDOW, new Option(1, 32768, 1)));

    /** The next one is not even registered before the one in front of it is over. */
    record OneByOne() implements StartRule {

        @Override
        public boolean registers(Subscale next, Registered registered) {
            return registered.open() == 0;
        }

        @Override
        public Subscale toStart(List<Subscale> ready, Running running) {
            return ready.get(0);
        }
    }

    SerialStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                Units.BOUNDED,
                new OneByOne(),
                new DirectSignals(),
                new PlanOrder(values.get(PULL_WINDOW).intValue()),
                new SetAsideLimit(0, 0),
                new CopyAhead(2, 0));
    }
}
