package dev.drrs.runtime.state;

import dev.drrs.flink.OperatorAccess;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.OperatorStates.Mode;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.DefaultOperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.PartitionableListState;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;

/** Finds the operator (non-keyed) states of running operators. Mailbox thread. */
public final class RegisteredOperatorStates {

    private RegisteredOperatorStates() {}

    /**
     * What the operators have registered so far.
     *
     * @param chain all operators of the task, open
     */
    public static List<OperatorStates.One> of(Iterable<? extends StreamOperator<?>> chain) {
        List<OperatorStates.One> found = new ArrayList<>();
        for (StreamOperator<?> operator : chain) {
            if (backend(operator) instanceof DefaultOperatorStateBackend backend) {
                String id = operator.getOperatorID().toHexString();
                String name = KeyedOperator.plainName(operator);
                OperatorAccess.lists(backend)
                        .forEach(
                                (state, list) ->
                                        found.add(
                                                new OperatorStates.One(
                                                        id, name, state, modeOf(list))));
                for (String state : backend.getRegisteredBroadcastStateNames()) {
                    found.add(new OperatorStates.One(id, name, state, Mode.BROADCAST));
                }
            }
        }
        return found;
    }

    private static Mode modeOf(PartitionableListState<?> list) {
        return list.getStateMetaInfo().getAssignmentMode() == OperatorStateHandle.Mode.UNION
                ? Mode.UNION_LIST
                : Mode.LIST;
    }

    private static OperatorStateBackend backend(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator<?> v1
                ? v1.getOperatorStateBackend()
                : operator instanceof AbstractStreamOperatorV2<?> v2
                        ? v2.getOperatorStateBackend()
                        : null;
    }
}
