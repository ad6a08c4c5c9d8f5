package dev.drrs.gateway.shapes;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** What goes wrong on purpose, by name: a test that compares results has to find it. Once a subtask, with its tenth result. */
final class Faults {

    private static final int TENTH = 10;

    private Faults() {}

    static FlatMapFunction<Result, Result> of(String name) {
        return switch (name) {
            case "fault-drop" -> new Fault((result, out) -> {});
            case "fault-double" ->
                    new Fault(
                            (result, out) -> {
                                out.collect(result);
                                out.collect(result);
                            });
            case "fault-alter" ->
                    new Fault(
                            (result, out) -> {
                                Result copy = result.copy();
                                copy.text += "?";
                                out.collect(copy);
                            });
            case "fault-swap" -> new Swap();
            default -> throw new IllegalArgumentException("no fault " + name);
        };
    }

    /** What becomes of the tenth result. */
    private interface Harm extends Serializable {
        void to(Result result, Collector<Result> out);
    }

    private static final class Fault implements FlatMapFunction<Result, Result> {
        private final Harm harm;
        private transient int seen;

        Fault(Harm harm) {
            this.harm = harm;
        }

        @Override
        public void flatMap(Result result, Collector<Result> out) {
            if (++seen == TENTH) {
                harm.to(result, out);
            } else {
                out.collect(result);
            }
        }
    }

    /** Each fifth and sixth result of a key in a lane change places. */
    private static final class Swap implements FlatMapFunction<Result, Result> {
        private transient Map<String, Integer> seen;
        private transient Map<String, Result> held;

        @Override
        public void flatMap(Result result, Collector<Result> out) {
            if (seen == null) {
                seen = new HashMap<>();
                held = new HashMap<>();
            }
            String group = result.lane + "|" + result.key;
            if (seen.merge(group, 1, Integer::sum) == TENTH / 2) {
                held.put(group, result.copy());
                return;
            }
            out.collect(result);
            Result before = held.remove(group);
            if (before != null) {
                out.collect(before);
            }
        }
    }
}
