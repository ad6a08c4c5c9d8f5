package dev.drrs.instrumentation;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.FlinkVersion;
import dev.drrs.runtime.AgentState;
import java.io.IOException;
import java.util.List;

/**
 * What the check before arming came to.
 *
 * @param reason why the JVM cannot be armed, in one sentence, or null
 * @param points all join points, and private members that are not as expected
 * @param known what was woven at build time; null if it is not to be used
 * @param how which check it was, for the one line per JVM
 */
record Verdict(String reason, List<AgentState.Point> points, KnownFlink known, String how) {

    /**
     * If all class files that the check would read are those of the build, they have been checked
     * then; with any difference, or doubt, each member is looked up in them.
     */
    static Verdict on(ClassLoader loader) {
        String difference;
        try {
            KnownFlink known = KnownFlink.ofBuild();
            difference = known.difference(loader);
            if (difference == null && PreFlight.versionFault(FlinkVersion.found(loader)) == null) {
                return new Verdict(
                        null, known.points(), known, "whose class files are those of the build");
            }
        } catch (IOException | RuntimeException e) {
            difference = e.toString();
        }
        PreFlight preFlight = new PreFlight(loader);
        List<PreFlight.Finding> findings = preFlight.check(JoinPoints.all(), FlinkMembers.all());
        List<AgentState.Point> points =
                findings.stream()
                        .map(f -> new AgentState.Point(f.name(), f.type(), !f.isFault(), f.fault()))
                        .toList();
        return new Verdict(
                reason(preFlight.versionFault(), findings),
                points,
                null,
                "all members checked, as class files are not those of the build: " + difference);
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
}
