package dev.drrs.instrumentation;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Handles;
import dev.drrs.runtime.AgentState;
import java.lang.instrument.Instrumentation;
import java.util.List;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.utility.JavaModule;

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
        List<JoinPoint> points = JoinPoints.all();
        PreFlight preFlight = new PreFlight(ClassLoader.getSystemClassLoader());
        if (!preFlight.flinkPresent()) {
            // A helper JVM of Flink's scripts (they run one to read the configuration): nothing to
            // do, nothing to say.
            AgentState.notArmed(version, "no Flink runtime on the class path");
            return;
        }
        AgentState.loadedFrom(PluginBuild.own());
        List<PreFlight.Finding> findings = preFlight.check(points, FlinkMembers.all());
        List<AgentState.Point> state =
                findings.stream()
                        .map(f -> new AgentState.Point(f.name(), f.type(), !f.isFault(), f.fault()))
                        .toList();
        String reason = reason(preFlight.versionFault(), findings);
        if (reason != null) {
            AgentState.notArmed(version, reason, state);
            System.err.println("DRRS: not armed, Flink runs as stock: " + reason);
            return;
        }
        Handles.whenMissing(Agent::missing);
        arm(points, instrumentation);
        AgentState.armed(version, state);
        System.err.println(
                "DRRS "
                        + version
                        + ": armed with "
                        + points.size()
                        + " join points for Flink "
                        + FlinkVersion.builtFor());
    }

    /** Why the JVM cannot be armed, in one sentence that names the version first, or null. */
    static String reason(String versionFault, List<PreFlight.Finding> findings) {
        List<PreFlight.Finding> faults =
                findings.stream().filter(PreFlight.Finding::isFault).toList();
        if (faults.isEmpty()) {
            return versionFault;
        }
        String members =
                faults.size()
                        + (faults.size() == 1 ? " place does" : " places do")
                        + " not fit, first: "
                        + faults.get(0).name()
                        + " ("
                        + faults.get(0).fault()
                        + ")";
        return versionFault == null
                ? members
                        + "; built for Flink "
                        + FlinkVersion.builtFor()
                        + ", found the same version"
                : versionFault + "; " + members;
    }

    /** The pre-flight check found the member in the class file, and the JVM does not give it. */
    private static void missing(String member) {
        broken("a member of Flink cannot be reached: " + member);
    }

    private static void broken(String why) {
        AgentState.broken(why);
        System.err.println("DRRS: no job is made elastic in this JVM: " + why);
    }

    private static void arm(List<JoinPoint> points, Instrumentation instrumentation) {
        AgentBuilder builder =
                new AgentBuilder.Default()
                        .with(new TransformFailures())
                        .ignore(ElementMatchers.nameStartsWith("dev.drrs."));
        for (JoinPoint point : points) {
            builder =
                    builder.type(ElementMatchers.named(point.type()))
                            .transform(
                                    (dynamic, type, loader, module, domain) ->
                                            point.transform(dynamic));
        }
        builder.installOn(instrumentation);
    }

    /**
     * A class that could not be woven leaves the JVM half armed: it is recorded, so that no job is
     * made elastic there.
     */
    private static final class TransformFailures extends AgentBuilder.Listener.Adapter {
        @Override
        public void onError(
                String type,
                ClassLoader loader,
                JavaModule module,
                boolean loaded,
                Throwable error) {
            broken("weaving " + type + " failed: " + error);
        }
    }
}
