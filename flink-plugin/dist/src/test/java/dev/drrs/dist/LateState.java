package dev.drrs.dist;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Keyed operators, named "operator", that ask for their states only when they need them. */
final class LateState {

    static final int KEYS = 100;
    static final long WINDOW = 500;

    private LateState() {}

    /** Plain state of many types; each element comes out as (key, how many so far in each). */
    static DataStream<String> inProcess(DataStream<Tuple2<Long, Long>> numbers) {
        return numbers.keyBy(number -> number.f0 % KEYS, Types.LONG)
                .process(new AtFirstUse())
                .name("operator")
                .uid("operator");
    }

    /** State of a window function: how many windows a key has had. */
    static DataStream<String> inWindows(DataStream<Tuple2<Long, Long>> numbers) {
        return numbers.keyBy(number -> number.f0 % KEYS, Types.LONG)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(WINDOW)))
                .process(new CountWindows())
                .name("operator")
                .uid("operator");
    }

    /** What is kept per key beside plain numbers. */
    public static final class Row {
        public long key;
        public long count;
        public Map<String, Long> byName = new HashMap<>();
    }

    private static final class AtFirstUse
            extends KeyedProcessFunction<Long, Tuple2<Long, Long>, String> {
        @Override
        public void processElement(
                Tuple2<Long, Long> number, Context context, Collector<String> out)
                throws Exception {
            MapState<String, Tuple2<Long, Long>> map =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>(
                                            "map",
                                            Types.STRING,
                                            TypeInformation.of(
                                                    new TypeHint<Tuple2<Long, Long>>() {})));
            ListState<Long> list =
                    getRuntimeContext().getListState(new ListStateDescriptor<>("list", Types.LONG));
            ValueState<Row> row =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("row", Row.class));
            Tuple2<Long, Long> before = map.get("n");
            long inMap = before == null ? 1 : before.f1 + 1;
            map.put("n", Tuple2.of(number.f0, inMap));
            list.add(number.f0);
            long inList = 0;
            for (Long each : list.get()) {
                inList += each < 0 ? 0 : 1;
            }
            Row now = row.value() == null ? new Row() : row.value();
            now.key = context.getCurrentKey();
            now.count++;
            now.byName.merge("n", 1L, Long::sum);
            row.update(now);
            out.collect(expected(context.getCurrentKey(), inMap, inList, now.byName.get("n")));
        }
    }

    /** What {@link #inProcess} puts out of this many numbers, each row once. */
    static Map<String, Integer> expected(long numbers) {
        Map<String, Integer> expected = new HashMap<>();
        for (long key = 0; key < KEYS; key++) {
            for (long n = 1; n <= numbers / KEYS; n++) {
                expected.put(expected(key, n, n, n), 1);
            }
        }
        return expected;
    }

    private static String expected(long key, long inMap, long inList, long inRow) {
        return key + ": " + inMap + ", " + inList + ", " + inRow;
    }

    private static final class CountWindows
            extends ProcessWindowFunction<Tuple2<Long, Long>, String, Long, TimeWindow> {
        @Override
        public void process(
                Long key,
                Context context,
                Iterable<Tuple2<Long, Long>> numbers,
                Collector<String> out)
                throws Exception {
            MapState<String, Long> windows =
                    context.globalState()
                            .getMapState(
                                    new MapStateDescriptor<>("windows", Types.STRING, Types.LONG));
            long count = windows.contains("n") ? windows.get("n") + 1 : 1;
            windows.put("n", count);
            long size = 0;
            for (Tuple2<Long, Long> number : numbers) {
                size += number.f0 < 0 ? 0 : 1;
            }
            out.collect(key + " window " + count + ": " + size);
        }
    }
}
