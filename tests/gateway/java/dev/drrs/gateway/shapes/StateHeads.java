package dev.drrs.gateway.shapes;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import dev.drrs.api.KeyGroupListener;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Functions that number the events of a key, each with another kind of state. */
final class StateHeads {

    private StateHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        KeyedProcessFunction<Object, Event, Result> function =
                switch (head) {
                    case "value" -> new Counting(lanes, new InValue(false), false);
                    case "value-ttl" -> new Counting(lanes, new InValue(true), false);
                    case "value-lazy" -> new Counting(lanes, new InValue(false), true);
                    case "list" -> new Counting(lanes, new InList(), false);
                    case "map" -> new Counting(lanes, new InMap(false), false);
                    case "map-ttl" -> new Counting(lanes, new InMap(true), false);
                    case "map-lazy" -> new Counting(lanes, new InMap(false), true);
                    case "reducing" -> new Counting(lanes, new InReducing(), false);
                    case "aggregating" -> new Counting(lanes, new InAggregating(), false);
                    case "cached" -> new Cached(lanes);
                    default -> null;
                };
        return function == null ? null : Heads.Output.of(input.keyed().process(function));
    }

    /** What a kind of state remembers of a key's events. */
    interface Memory extends Serializable {
        void open(RuntimeContext context);

        /** @return the number of this event, which is now remembered, and something that depends on all before */
        Object[] remember(Event event) throws Exception;
    }

    private static StateTtlConfig hours() {
        return StateTtlConfig.newBuilder(Duration.ofHours(3)).cleanupIncrementally(2, true).build();
    }

    private static final class InValue implements Memory {
        private final boolean ttl;
        private transient ValueState<Long> number;

        InValue(boolean ttl) {
            this.ttl = ttl;
        }

        @Override
        public void open(RuntimeContext context) {
            ValueStateDescriptor<Long> described = new ValueStateDescriptor<>("number", Types.LONG);
            if (ttl) {
                described.enableTimeToLive(hours());
            }
            number = context.getState(described);
        }

        @Override
        public Object[] remember(Event event) throws Exception {
            number.update(number.value() == null ? 1 : number.value() + 1);
            return new Object[] {number.value(), ""};
        }
    }

    private static final class InList implements Memory {
        private transient ListState<Long> seen;

        @Override
        public void open(RuntimeContext context) {
            seen = context.getListState(new ListStateDescriptor<>("seen", Types.LONG));
        }

        @Override
        public Object[] remember(Event event) throws Exception {
            seen.add(event.id);
            List<Long> all = new ArrayList<>();
            seen.get().forEach(all::add);
            return new Object[] {(long) all.size(), all.hashCode()};
        }
    }

    private static final class InMap implements Memory {
        private final boolean ttl;
        private transient MapState<Integer, Long> counts;

        InMap(boolean ttl) {
            this.ttl = ttl;
        }

        @Override
        public void open(RuntimeContext context) {
            MapStateDescriptor<Integer, Long> described =
                    new MapStateDescriptor<>("counts", Types.INT, Types.LONG);
            if (ttl) {
                described.enableTimeToLive(hours());
            }
            counts = context.getMapState(described);
        }

        @Override
        public Object[] remember(Event event) throws Exception {
            int kind = (int) (event.value % 7);
            counts.put(kind, counts.contains(kind) ? counts.get(kind) + 1 : 1);
            if (event.value % 11 == 0) {
                // Under another key, so that entries are also taken away.
                long moved = counts.get(kind);
                counts.remove(kind);
                counts.put(100, (counts.contains(100) ? counts.get(100) : 0) + moved);
            }
            Map<Integer, Long> all = new TreeMap<>();
            counts.entries().forEach(entry -> all.put(entry.getKey(), entry.getValue()));
            return new Object[] {all.values().stream().mapToLong(Long::longValue).sum(), all};
        }
    }

    private static final class InReducing implements Memory {
        private transient ReducingState<Event> sum;

        @Override
        public void open(RuntimeContext context) {
            sum =
                    context.getReducingState(
                            new ReducingStateDescriptor<>("sum", (a, b) -> b.after(a), Types.POJO(Event.class)));
        }

        @Override
        public Object[] remember(Event event) throws Exception {
            Event copy = event.after(new Event());
            copy.count = 1;
            sum.add(copy);
            return new Object[] {sum.get().count, sum.get().value};
        }
    }

    private static final class InAggregating implements Memory {
        private transient AggregatingState<Long, List<Long>> sum;

        @Override
        public void open(RuntimeContext context) {
            sum =
                    context.getAggregatingState(
                            new AggregatingStateDescriptor<>("sum", new CountAndMix(), Types.LIST(Types.LONG)));
        }

        @Override
        public Object[] remember(Event event) throws Exception {
            sum.add(event.id);
            return new Object[] {sum.get().get(0), sum.get().get(1)};
        }
    }

    /** The number of ids, and something that depends on their order. */
    private static final class CountAndMix implements AggregateFunction<Long, List<Long>, List<Long>> {
        @Override
        public List<Long> createAccumulator() {
            return new ArrayList<>(List.of(0L, 0L));
        }

        @Override
        public List<Long> add(Long id, List<Long> sum) {
            return new ArrayList<>(List.of(sum.get(0) + 1, sum.get(1) * 31 + id));
        }

        @Override
        public List<Long> getResult(List<Long> sum) {
            return sum;
        }

        @Override
        public List<Long> merge(List<Long> a, List<Long> b) {
            throw new UnsupportedOperationException("never merged");
        }
    }

    /** @see Memory */
    private static final class Counting extends KeyedProcessFunction<Object, Event, Result> {
        private final Lanes lanes;
        private final Memory memory;
        private final boolean lazy;
        private transient boolean opened;
        private transient LongCounter events;

        Counting(Lanes lanes, Memory memory, boolean lazy) {
            this.lanes = lanes;
            this.memory = memory;
            this.lazy = lazy;
        }

        @Override
        public void open(OpenContext context) {
            events = new LongCounter();
            getRuntimeContext().addAccumulator("events-" + lanes.branch(), events);
            opened = !lazy;
            if (opened) {
                memory.open(getRuntimeContext());
            }
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            if (!opened) {
                opened = true;
                memory.open(getRuntimeContext());
            }
            events.add(1L);
            Object[] found = memory.remember(event);
            out.collect(lanes.ofEvent("elements", event, (Long) found[0], found[1]));
        }
    }

    /** Has the number of a key in a field too, and forgets it when the key leaves. */
    private static final class Cached extends KeyedProcessFunction<Object, Event, Result>
            implements KeyGroupListener {
        private final Lanes lanes;
        private transient ValueState<Long> number;
        private transient Map<Object, Long> cache;

        Cached(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            number = getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
            cache = new HashMap<>();
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            Long before = cache.get(context.getCurrentKey());
            if (before == null) {
                before = number.value() == null ? 0L : number.value();
            }
            cache.put(context.getCurrentKey(), before + 1);
            number.update(before + 1);
            out.collect(lanes.ofEvent("elements", event, before + 1, ""));
        }

        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
            cache.keySet().removeIf(isAmong);
        }
    }
}
