package dev.drrs.runtime;

import java.util.List;

/**
 * Whether this JVM is armed. Written once by the agent before Flink's main class runs; read by any
 * thread.
 */
public final class AgentState {

    /** One join point as the pre-flight check found it; {@code fault} is null if {@code ok}. */
    public record Point(String name, String target, boolean ok, String fault) {}

    private static volatile String version = "unknown";
    private static volatile String build = "unknown";
    private static volatile boolean armed;
    private static volatile String reason =
            "the agent was not loaded: add -javaagent to env.java.opts.all";
    private static volatile List<Point> points = List.of();

    private AgentState() {}

    public static void armed(String pluginVersion, List<Point> found) {
        version = pluginVersion;
        points = found;
        reason = null;
        armed = true;
    }

    public static void notArmed(String pluginVersion, String why) {
        notArmed(pluginVersion, why, List.of());
    }

    public static void notArmed(String pluginVersion, String why, List<Point> found) {
        version = pluginVersion;
        points = found;
        reason = why;
        armed = false;
    }

    /** A class could not be woven after arming: from here on no job is made elastic. */
    public static void broken(String why) {
        reason = why;
        armed = false;
    }

    public static boolean isArmed() {
        return armed;
    }

    /** Why this JVM is not armed, or null. */
    public static String reason() {
        return reason;
    }

    public static String version() {
        return version;
    }

    /** What the agent found its own jar to be. */
    public static void loadedFrom(String pluginBuild) {
        build = pluginBuild;
    }

    /** Tells builds of the same version apart; "unknown" if the plug-in was not loaded as a jar. */
    public static String build() {
        return build;
    }

    /** Version and build: two JVMs with the same one run the same plug-in. */
    public static String identity() {
        return version + "+" + build;
    }

    public static List<Point> points() {
        return points;
    }
}
