package dev.drrs.dist;

import dev.drrs.api.KeyGroupListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Running counts that a function keeps in keyed state, and in a field as well. */
final class CachedState {

    private CachedState() {}

    /** Right on stock Flink, where a subtask has the same keys for life. */
    static class Caching extends KeyedProcessFunction<Integer, Long, String> {
        final Map<Integer, Long> cache = new HashMap<>();
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            int key = context.getCurrentKey();
            Long before = cache.get(key);
            if (before == null) {
                before = count.value() == null ? 0 : count.value();
            }
            cache.put(key, before + 1);
            count.update(before + 1);
            out.collect(KindsOfOperators.result("count", key, before + 1));
        }
    }

    /** Forgets the keys that leave. */
    static final class Forgetting extends Caching implements KeyGroupListener {
        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
            cache.keySet().removeIf(isAmong);
        }
    }

    /** Holds results back, as a sink that writes in batches does, until it hears of key groups. */
    static final class Buffering implements MapFunction<String, String>, KeyGroupListener {

        /** By job: what was written. */
        private static final Map<String, Map<String, Integer>> WRITTEN = new ConcurrentHashMap<>();

        private static final int BATCH = 1_000_000;

        private final String job;
        private final List<String> buffer = new ArrayList<>();

        Buffering(String job) {
            this.job = job;
        }

        static Map<String, Integer> written(String job) {
            return WRITTEN.getOrDefault(job, Map.of());
        }

        @Override
        public String map(String result) {
            buffer.add(result);
            if (buffer.size() == BATCH) {
                write();
            }
            return result;
        }

        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
            write();
        }

        private void write() {
            Map<String, Integer> to =
                    WRITTEN.computeIfAbsent(job, name -> new ConcurrentHashMap<>());
            buffer.forEach(result -> to.merge(result, 1, Integer::sum));
            buffer.clear();
        }
    }
}
