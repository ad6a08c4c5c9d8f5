package dev.drrs.instrumentation;

import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/**
 * Checks Flink's version, every join point and every other member that the plug-in uses against the
 * class files on the class path: no Flink class is loaded before the decision to arm has been made.
 */
final class PreFlight {

    /**
     * What was found out about one join point, or about the class of members that no join point
     * names.
     *
     * @param type binary name of the Flink class
     * @param fault null if all of it is there
     */
    record Finding(String name, String type, String fault) {

        boolean isFault() {
            return fault != null;
        }
    }

    /** How members are called that the plug-in uses without a join point. */
    static final String ACCESS = "access";

    private final TypePool pool;
    private final String version;

    PreFlight(ClassLoader loader) {
        this(
                TypePool.Default.of(ClassFileLocator.ForClassLoader.of(loader)),
                FlinkVersion.found(loader));
    }

    /**
     * @param version of the Flink that is there, null if it does not tell
     */
    PreFlight(TypePool pool, String version) {
        this.pool = pool;
        this.version = version;
    }

    /** Whether Flink's runtime is on this class path at all. */
    static boolean flinkPresent(ClassLoader loader) {
        return loader.getResource("org/apache/flink/runtime/scheduler/DefaultScheduler.class")
                != null;
    }

    /** What is wrong with the version of Flink, as one sentence, or null. */
    String versionFault() {
        return versionFault(version);
    }

    static String versionFault(String version) {
        String builtFor = FlinkVersion.builtFor();
        if (builtFor.equals(version)) {
            return null;
        }
        return "built for Flink "
                + builtFor
                + ", found "
                + (version == null ? "one that does not tell its version" : version);
    }

    /**
     * One finding per join point; and one for each member that is not as expected and that none of
     * them names.
     */
    List<Finding> check(List<JoinPoint> points, List<Member> members) {
        List<Finding> findings = new ArrayList<>();
        Set<String> said = new HashSet<>();
        for (JoinPoint point : points) {
            Finding finding = new Finding(point.name(), point.type(), fault(point));
            findings.add(finding);
            said.add(finding.fault());
        }
        for (Member member : members) {
            String fault = fault(member.owner(), member);
            if (fault != null && said.add(fault)) {
                findings.add(new Finding(ACCESS, member.owner(), fault));
            }
        }
        return findings;
    }

    private String fault(JoinPoint point) {
        if (!pool.describe(point.type()).isResolved()) {
            return missing(point.type());
        }
        for (Member member : point.members()) {
            String fault = fault(member.owner() == null ? point.type() : member.owner(), member);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private String fault(String owner, Member member) {
        TypePool.Resolution resolution = pool.describe(owner);
        if (!resolution.isResolved()) {
            return missing(owner);
        }
        boolean there = Matching.find(member, resolution.resolve()) != null;
        return there ? null : owner + " has no " + Member.of(member.name(), member.descriptor());
    }

    private static String missing(String type) {
        return "class " + type + " is missing";
    }
}
