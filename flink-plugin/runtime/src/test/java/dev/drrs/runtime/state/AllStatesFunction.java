package dev.drrs.runtime.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Uses every kind of state and both kinds of timers; prints what it finds, so that nothing that is
 * lost, doubled or late goes unseen. An output is the key, a bar and text.
 */
public final class AllStatesFunction
        extends KeyedProcessFunction<Integer, AllStatesFunction.Event, String> {

    /** One element: {@code what} chooses what is done, {@code payload} with what. */
    public record Event(int key, int what, int payload) {}

    /** A POJO that holds something only Kryo can write. */
    public static class Pojo {
        public int count;
        public String text = "";
        public BitSet bits = new BitSet();
    }

    private final Duration ttl;
    private final boolean processingTime;
    private transient ValueState<Pojo> value;
    private transient ListState<Integer> list;
    private transient MapState<String, Integer> map;
    private transient ReducingState<Integer> reducing;

    /**
     * @param ttl of every state, or null for none
     */
    public AllStatesFunction(Duration ttl, boolean processingTime) {
        this.ttl = ttl;
        this.processingTime = processingTime;
    }

    private <D extends StateDescriptor<?, ?>> D withTtl(D descriptor) {
        if (ttl != null) {
            descriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(ttl)
                            .setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite)
                            .cleanupIncrementally(2, true)
                            .build());
        }
        return descriptor;
    }

    @Override
    public void open(OpenContext context) {
        value =
                getRuntimeContext()
                        .getState(withTtl(new ValueStateDescriptor<>("value", Pojo.class)));
        list =
                getRuntimeContext()
                        .getListState(withTtl(new ListStateDescriptor<>("list", Integer.class)));
        map =
                getRuntimeContext()
                        .getMapState(
                                withTtl(
                                        new MapStateDescriptor<>(
                                                "map", String.class, Integer.class)));
        reducing =
                getRuntimeContext()
                        .getReducingState(
                                withTtl(
                                        new ReducingStateDescriptor<>(
                                                "reducing", Integer::sum, Integer.class)));
    }

    /** Registered when first needed, so at different times in different subtasks. */
    private AggregatingState<Integer, String> late() {
        return getRuntimeContext()
                .getAggregatingState(
                        withTtl(
                                new AggregatingStateDescriptor<>(
                                        "late", new Concat(), TypeInformation.of(String.class))));
    }

    private ValueState<String> big() {
        return getRuntimeContext()
                .getState(withTtl(new ValueStateDescriptor<>("big", String.class)));
    }

    @Override
    public void processElement(Event event, Context context, Collector<String> out)
            throws Exception {
        String done;
        switch (event.what) {
            case 0 -> {
                boolean fresh = value.value() == null;
                Pojo pojo = fresh ? new Pojo() : value.value();
                pojo.count++;
                pojo.text = "p" + event.payload;
                pojo.bits.set(event.payload % 50);
                if (fresh || event.payload % 3 == 0) { // else changed in place, as the heap allows
                    value.update(pojo);
                }
                done = "value " + pojo.count + pojo.text + pojo.bits;
            }
            case 1 -> {
                list.add(event.payload);
                List<Integer> all = new ArrayList<>();
                list.get().forEach(all::add);
                done = "list " + all;
            }
            case 2 -> {
                map.put("m" + event.payload % 5, event.payload);
                done = "map";
            }
            case 3 -> {
                map.remove("m" + event.payload % 5);
                done = "map";
            }
            case 4 -> {
                reducing.add(event.payload);
                done = "reducing " + reducing.get();
            }
            case 5 -> {
                late().add(event.payload);
                done = "late " + late().get();
            }
            case 6 -> {
                String before = big().value();
                big().update(
                                String.valueOf((char) ('a' + event.payload % 26))
                                        .repeat(500 + event.payload * 20));
                done =
                        "big "
                                + (before == null
                                        ? "none"
                                        : before.length() + before.substring(0, 1));
            }
            case 7 -> {
                value.clear();
                list.clear();
                done = "cleared";
            }
            case 8 -> {
                long at = context.timerService().currentWatermark() + 1 + event.payload % 40;
                context.timerService().registerEventTimeTimer(Math.max(at, 0));
                done = "timer";
            }
            case 9 -> {
                context.timerService()
                        .deleteEventTimeTimer(
                                Math.max(context.timestamp() + event.payload % 10, 0));
                context.timerService()
                        .registerEventTimeTimer(context.timestamp() + 5 + event.payload % 10);
                done = "timer moved";
            }
            default -> {
                if (processingTime) {
                    long now = context.timerService().currentProcessingTime();
                    context.timerService()
                            .registerProcessingTimeTimer(now + 1 + event.payload % 30);
                }
                done = "processing timer";
            }
        }
        print(event.key, done, context, out);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
            throws Exception {
        Integer sum = reducing.get();
        if (timestamp % 7 == 0) {
            reducing.clear();
        }
        if (timestamp % 3 == 0) {
            context.timerService().registerEventTimeTimer(timestamp + 11);
        }
        print(
                context.getCurrentKey(),
                context.timeDomain() + " at " + timestamp + " sum " + sum,
                context,
                out);
    }

    private void print(int key, String done, Context context, Collector<String> out)
            throws Exception {
        Map<String, Integer> sorted = new TreeMap<>();
        for (Map.Entry<String, Integer> entry : map.entries()) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        out.collect(
                key
                        + "|"
                        + done
                        + " map "
                        + sorted
                        + " clock "
                        + context.timerService().currentWatermark());
    }

    private static final class Concat implements AggregateFunction<Integer, String, String> {
        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(Integer value, String accumulator) {
            return accumulator.length() > 100 ? "" : accumulator + "." + value;
        }

        @Override
        public String getResult(String accumulator) {
            return accumulator;
        }

        @Override
        public String merge(String a, String b) {
            return a + b;
        }
    }
}
