package dev.drrs.gateway;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;

/**
 * Operator state of a function: a list with the number of every line it has seen, each once. {@code extra}: {@code union} adds
 * a union list with an element from each subtask of the first run, {@code broadcast} a broadcast state; any other text
 * nothing. Task thread only; what is static is for the test.
 */
final class KeptNumbers implements Serializable {

    private static final long NUMBERS = 1_000_000;

    /** What subtasks were given at their last start, by the job's name and index: they run in this JVM. */
    private static final Map<String, Map<Integer, String>> GIVEN = new ConcurrentHashMap<>();

    private static final Set<String> TO_FAIL = ConcurrentHashMap.newKeySet();

    private final String job;
    private final String extra;

    private transient List<Long> seen;
    private transient ListState<Long> list;
    private transient ListState<Integer> union;
    private transient List<Integer> members;

    KeptNumbers(String job, String extra) {
        this.job = job;
        this.extra = extra;
    }

    static Map<Integer, String> given(String job) {
        return GIVEN.getOrDefault(job, Map.of());
    }

    static void forget(String job) {
        GIVEN.remove(job);
    }

    /** The job's next checkpoint of this state fails its task, once. */
    static void failOnce(String job) {
        TO_FAIL.add(job);
    }

    static boolean hasStillToFail(String job) {
        return TO_FAIL.contains(job);
    }

    void initialize(FunctionInitializationContext context, int subtask) throws Exception {
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
            BroadcastState<String, String> broadcast =
                    context.getOperatorStateStore()
                            .getBroadcastState(new MapStateDescriptor<>("rules", Types.STRING, Types.STRING));
            rules = String.valueOf(broadcast.get("rule"));
            broadcast.put("rule", "one");
        }
        StringBuilder text = new StringBuilder();
        seen.forEach(one -> text.append(one).append(' '));
        GIVEN.computeIfAbsent(job, name -> new ConcurrentHashMap<>())
                .put(subtask, text + "|" + members + "|" + rules);
        if (!context.isRestored()) {
            members.add(subtask);
        } else {
            // Whoever was restored keeps its own element only: the union has each once.
            members.removeIf(one -> one != subtask);
        }
    }

    void snapshot() throws Exception {
        if (TO_FAIL.remove(job)) {
            throw new IllegalStateException("fails on request");
        }
        list.update(seen);
        if (union != null) {
            union.update(members);
        }
    }

    /** @param line {@code auction,number}, kept as one number */
    void add(String line) {
        String[] parts = line.split(",");
        seen.add(Long.parseLong(parts[0]) * NUMBERS + Long.parseLong(parts[1]));
    }
}
