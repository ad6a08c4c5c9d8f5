package dev.drrs.gateway;

import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Numbers the bids of an auction. A list has every number that was ever given, each once. {@code extra}: {@code union}
 * adds a union list with an element from each subtask of the first run, {@code broadcast} a broadcast state; any other
 * text nothing.
 */
final class NumberBids extends KeyedProcessFunction<Long, ScheduledEvent, String> implements CheckpointedFunction {

    private static final long NUMBERS = 1_000_000;

    /** What subtasks were given at their last start, by the job's name and index: they run in this JVM. */
    private static final Map<String, Map<Integer, String>> GIVEN = new ConcurrentHashMap<>();

    private static final Set<String> TO_FAIL = ConcurrentHashMap.newKeySet();

    private final String job;
    private final String extra;

    private transient List<Long> seen;
    private transient ValueState<Long> number;
    private transient ListState<Long> list;
    private transient ListState<Integer> union;
    private transient BroadcastState<String, String> broadcast;
    private transient List<Integer> members;

    NumberBids(String job, String extra) {
        this.job = job;
        this.extra = extra;
    }

    static Map<Integer, String> given(String job) {
        return GIVEN.getOrDefault(job, Map.of());
    }

    static void forget(String job) {
        GIVEN.remove(job);
    }

    /** The job's next checkpoint of this operator fails its task, once. */
    static void failOnce(String job) {
        TO_FAIL.add(job);
    }

    static boolean hasStillToFail(String job) {
        return TO_FAIL.contains(job);
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        number =
                context.getKeyedStateStore()
                        .getState(new ValueStateDescriptor<>("number", Types.LONG));
        list = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("seen", Types.LONG));
        seen = new ArrayList<>();
        list.get().forEach(seen::add);
        members = new ArrayList<>();
        String rules = "-";
        if (extra.equals("union")) {
            union =
                    context.getOperatorStateStore()
                            .getUnionListState(new ListStateDescriptor<>("members", Types.INT));
            union.get().forEach(members::add);
        } else if (extra.equals("broadcast")) {
            broadcast =
                    context.getOperatorStateStore()
                            .getBroadcastState(new MapStateDescriptor<>("rules", Types.STRING, Types.STRING));
            rules = String.valueOf(broadcast.get("rule"));
            broadcast.put("rule", "one");
        }
        int index = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        StringBuilder text = new StringBuilder();
        seen.forEach(one -> text.append(one).append(' '));
        GIVEN.computeIfAbsent(job, name -> new ConcurrentHashMap<>())
                .put(index, text + "|" + members + "|" + rules);
        if (!context.isRestored()) {
            members.add(index);
        } else {
            // Whoever was restored keeps its own element only: the union has each once.
            members.removeIf(one -> one != index);
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        if (TO_FAIL.remove(job)) {
            throw new IllegalStateException("fails on request");
        }
        list.update(seen);
        if (union != null) {
            union.update(members);
        }
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<String> out) throws Exception {
        long next = (number.value() == null ? 0 : number.value()) + 1;
        number.update(next);
        seen.add(context.getCurrentKey() * NUMBERS + next);
        out.collect(context.getCurrentKey() + "," + next);
    }
}
