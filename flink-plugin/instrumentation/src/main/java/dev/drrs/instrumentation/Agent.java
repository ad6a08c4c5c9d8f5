package dev.drrs.instrumentation;

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
        List<PreFlight.Finding> findings = preFlight.check(points);
        List<AgentState.Point> state =
                findings.stream()
                        .map(
                                f ->
                                        new AgentState.Point(
                                                f.point().name(),
                                                f.point().type(),
                                                f.fault() == null,
                                                f.fault()))
                        .toList();
        List<PreFlight.Finding> faults = findings.stream().filter(f -> f.fault() != null).toList();
        if (!faults.isEmpty()) {
            String reason =
                    faults.size()
                            + " of "
                            + points.size()
                            + " join points do not fit, first: "
                            + faults.get(0).point().name()
                            + " ("
                            + faults.get(0).fault()
                            + "); made for Flink "
                            + JoinPoints.FLINK_VERSION;
            AgentState.notArmed(version, reason, state);
            System.err.println("DRRS: not armed, Flink runs as stock: " + reason);
            return;
        }
        arm(points, instrumentation);
        AgentState.armed(version, state);
        System.err.println(
                "DRRS "
                        + version
                        + ": armed with "
                        + points.size()
                        + " join points for Flink "
                        + JoinPoints.FLINK_VERSION);
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
            AgentState.broken("weaving " + type + " failed: " + error);
            System.err.println(
                    "DRRS: weaving "
                            + type
                            + " failed, no job is made elastic in this JVM: "
                            + error);
        }
    }
}
