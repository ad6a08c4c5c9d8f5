package dev.drrs.runtime.functions;

import dev.drrs.flink.OperatorAccess;
import dev.drrs.flink.SubmittedFields;
import java.io.IOException;
import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.StreamFilter;
import org.apache.flink.streaming.api.operators.StreamFlatMap;
import org.apache.flink.streaming.api.operators.StreamGroupedReduceOperator;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.UdfStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.operators.co.CoStreamFlatMap;
import org.apache.flink.streaming.api.operators.co.CoStreamMap;
import org.apache.flink.streaming.api.operators.co.IntervalJoinOperator;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.runtime.operators.windowing.EvictingWindowOperator;
import org.apache.flink.streaming.runtime.operators.windowing.WindowOperator;
import org.apache.flink.util.InstantiationUtil;

/**
 * Opens the function of a keyed operator anew when key groups come back to a subtask that had them
 * before ({@code drrs.functions.reopen}): the old instance is closed, and another one takes its
 * place as the job's graph has it, so that nothing of what the old one remembers is left.
 *
 * <p>One new instance is enough for all key groups that have left the old one: it knows none of
 * their keys, and gets no record of them before they are back.
 *
 * <p>Made while the task is being set up, as Flink drops the bytes of the function soon after.
 * Mailbox thread.
 */
final class FunctionReopening {

    /** Of these it is known that they hold on to the function in one field only. */
    private static final Set<Class<?>> OPERATORS =
            Set.of(
                    KeyedProcessOperator.class,
                    KeyedCoProcessOperator.class,
                    CoBroadcastWithKeyedOperator.class,
                    StreamMap.class,
                    StreamFlatMap.class,
                    StreamFilter.class,
                    CoStreamMap.class,
                    CoStreamFlatMap.class,
                    StreamGroupedReduceOperator.class,
                    WindowOperator.class,
                    EvictingWindowOperator.class,
                    IntervalJoinOperator.class);

    private final byte[] factory;
    private final ClassLoader loader;

    /** Key groups that the present instance had and has no longer. */
    private final BitSet left = new BitSet();

    FunctionReopening(Configuration taskConfiguration, ClassLoader loader) {
        this.factory = taskConfiguration.getBytes(StreamConfig.SERIALIZED_UDF, null);
        this.loader = loader;
    }

    /** Whether the function of operators of this class can be replaced. */
    static boolean canReplaceIn(Class<?> operator) {
        return OPERATORS.contains(operator);
    }

    /**
     * Names of the accumulators that the open operator's task has: an {@code open()} would add them
     * a second time, which Flink refuses.
     */
    static Set<String> accumulators(AbstractUdfStreamOperator<?, ?> operator) {
        return new TreeSet<>(
                operator.getContainingTask()
                        .getEnvironment()
                        .getAccumulatorRegistry()
                        .getUserMap()
                        .keySet());
    }

    void left(int[] keyGroups) {
        for (int keyGroup : keyGroups) {
            left.set(keyGroup);
        }
    }

    void arrived(int[] keyGroups, StreamOperator<?> head) throws Exception {
        for (int keyGroup : keyGroups) {
            if (left.get(keyGroup)) {
                reopen((AbstractUdfStreamOperator<?, ?>) head);
                left.clear();
            }
        }
    }

    private void reopen(AbstractUdfStreamOperator<?, ?> operator) throws Exception {
        Function old = operator.getUserFunction();
        Function fresh = fresh(old.getClass());
        FunctionUtils.closeFunction(old);
        FunctionUtils.setFunctionRuntimeContext(fresh, operator.getRuntimeContext());
        OperatorAccess.setFunction(operator, fresh);
        FunctionUtils.openFunction(fresh, DefaultOpenContext.INSTANCE);
    }

    private Function fresh(Class<?> type) throws IOException, ClassNotFoundException {
        StreamOperatorFactory<?> made = InstantiationUtil.deserializeObject(factory, loader);
        return made instanceof UdfStreamOperatorFactory<?> udf
                ? udf.getUserFunction()
                : (Function)
                        SubmittedFields.of(made).stream()
                                .filter(value -> value.getClass() == type)
                                .findFirst()
                                .orElseThrow();
    }
}
