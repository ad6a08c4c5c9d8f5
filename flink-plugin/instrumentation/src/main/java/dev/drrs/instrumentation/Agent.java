package dev.drrs.instrumentation;

import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Handles;
import dev.drrs.runtime.AgentState;
import java.lang.instrument.Instrumentation;

/**
 * Entry of the Java agent. Checks all join points, then arms all of them or none, and says so in
 * one line per JVM.
 *
 * <p>The line goes to standard error: Flink's logging is not set up yet at this moment, and its
 * scripts send the stream to the process's .out file.
 */
public final class Agent {

    private Agent() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        String version = Agent.class.getPackage().getImplementationVersion();
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        if (!PreFlight.flinkPresent(loader)) {
            // A helper JVM of Flink's scripts (they run one to read the configuration): nothing to
            // do, nothing to say.
            AgentState.notArmed(version, "no Flink runtime on the class path");
            return;
        }
        AgentState.loadedFrom(PluginBuild.own());
        Verdict verdict = Verdict.on(loader);
        if (verdict.reason() != null) {
            AgentState.notArmed(version, verdict.reason(), verdict.points());
            System.err.println("DRRS: not armed, Flink runs as stock: " + verdict.reason());
            return;
        }
        Handles.whenMissing(Agent::missing);
        instrumentation.addTransformer(
                new WeavingTransformer(verdict.points(), verdict.known(), Agent::notWoven));
        AgentState.armed(version, verdict.points());
        System.err.println(
                "DRRS "
                        + version
                        + ": armed with "
                        + verdict.points().size()
                        + " join points for Flink "
                        + FlinkVersion.builtFor()
                        + ", "
                        + verdict.how());
    }

    /** The pre-flight check found the member in the class file, and the JVM does not give it. */
    private static void missing(String member) {
        broken("a member of Flink cannot be reached: " + member);
    }

    private static void broken(String why) {
        AgentState.broken(why);
        System.err.println("DRRS: no job is made elastic in this JVM: " + why);
    }

    /**
     * A class that could not be woven leaves the JVM half armed: it is recorded, so that no job is
     * made elastic there.
     */
    private static void notWoven(String type, Throwable error) {
        broken("weaving " + type + " failed: " + error);
    }
}
