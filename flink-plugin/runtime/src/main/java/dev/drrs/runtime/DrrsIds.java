package dev.drrs.runtime;

import org.apache.flink.runtime.jobgraph.OperatorID;

/** Ids that the plug-in's parts in the JobManager and in the tasks agree on. */
public final class DrrsIds {

    /**
     * Under this id operator events travel between the plug-in's parts, in both directions. No
     * operator of a job has it: such events never reach a handler or a coordinator of Flink.
     */
    public static final OperatorID OPERATOR_ID =
            new OperatorID(0x6472727364727273L, 0x2d72657363616c65L);

    private DrrsIds() {}
}
