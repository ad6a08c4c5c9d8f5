package dev.drrs.runtime.rest;

import dev.drrs.runtime.AgentState;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * How the JobManager learns which TaskManagers are armed: a gauge of each TaskManager, 1 while it
 * is. A TaskManager that reports metrics but not this one runs without the plug-in.
 */
public final class ArmedGauge {

    /** The gauge's name as the JobManager's metric store has it. */
    static final String METRIC = "drrs.armed";

    private ArmedGauge() {}

    /**
     * Registers the gauge; to be called once per TaskManager, before it is registered at the
     * ResourceManager.
     *
     * @param taskManager the TaskManager's own metric group, not one of its subgroups
     */
    public static void register(MetricGroup taskManager) {
        taskManager.addGroup("drrs").gauge("armed", new Armed());
    }

    /**
     * Not a lambda: Flink tells metrics apart by identity, and several TaskManagers can share a
     * JVM.
     */
    private static final class Armed implements Gauge<Integer> {
        @Override
        public Integer getValue() {
            return AgentState.isArmed() ? 1 : 0;
        }
    }
}
