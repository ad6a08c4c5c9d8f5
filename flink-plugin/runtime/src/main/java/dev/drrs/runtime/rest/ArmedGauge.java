package dev.drrs.runtime.rest;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.rehearsal.Rehearsals;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * How the JobManager learns which TaskManagers are armed, with which plug-in, and what became of
 * their rehearsal: gauges of each TaskManager. One that reports metrics but not these runs without
 * the plug-in.
 */
public final class ArmedGauge {

    /** The gauges' names as the JobManager's metric store has them: 1 while it is armed. */
    static final String METRIC = "drrs.armed";

    /** Version and build, see {@link AgentState#identity}. */
    static final String IDENTITY = "drrs.version";

    /** Words, see {@link Rehearsals#status}. */
    static final String REHEARSAL = "drrs.rehearsal";

    private ArmedGauge() {}

    /**
     * Registers the gauges; to be called once per TaskManager, before it is registered at the
     * ResourceManager.
     *
     * @param taskManager the TaskManager's own metric group, not one of its subgroups
     */
    public static void register(MetricGroup taskManager) {
        MetricGroup group = taskManager.addGroup("drrs");
        group.gauge("armed", new Armed());
        group.gauge("version", new Identity());
        group.gauge("rehearsal", new Rehearsed());
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

    private static final class Identity implements Gauge<String> {
        @Override
        public String getValue() {
            return AgentState.identity();
        }
    }

    private static final class Rehearsed implements Gauge<String> {
        @Override
        public String getValue() {
            return Rehearsals.OF_TASKS.status();
        }
    }
}
