package dev.drrs.runtime.message;

import java.io.Serializable;
import java.util.List;

/** From a subtask of an elastic vertex when it runs: which operator states its operators have. */
public record OperatorStates(List<OperatorStates.One> states) implements OfJob {

    /** How a state is dealt out to the subtasks of a restart. */
    public enum Mode {
        LIST,
        UNION_LIST,
        BROADCAST
    }

    /**
     * A registered state; whether there is anything in it is not known.
     *
     * @param operatorId hex of the OperatorID
     * @param operator name
     * @param name of the state
     */
    public record One(String operatorId, String operator, String name, Mode mode)
            implements Serializable {}
}
