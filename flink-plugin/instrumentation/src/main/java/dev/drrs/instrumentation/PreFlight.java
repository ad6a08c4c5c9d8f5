package dev.drrs.instrumentation;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/**
 * Checks every join point against the Flink classes on the class path, by reading class files: no
 * Flink class is loaded before the decision to arm has been made.
 */
final class PreFlight {

    /** What was found out about one join point; {@code fault} is null if all of it is there. */
    record Finding(JoinPoint point, String fault) {}

    private final TypePool pool;

    PreFlight(ClassLoader loader) {
        pool = TypePool.Default.of(ClassFileLocator.ForClassLoader.of(loader));
    }

    List<Finding> check(List<JoinPoint> points) {
        List<Finding> findings = new ArrayList<>();
        for (JoinPoint point : points) {
            findings.add(new Finding(point, fault(point)));
        }
        return findings;
    }

    /** Whether Flink's runtime is on this class path at all. */
    boolean flinkPresent() {
        return pool.describe("org.apache.flink.runtime.scheduler.DefaultScheduler").isResolved();
    }

    private String fault(JoinPoint point) {
        for (Member member : point.members()) {
            String owner = member.owner() == null ? point.type() : member.owner();
            TypePool.Resolution resolution = pool.describe(owner);
            if (!resolution.isResolved()) {
                return "class " + owner + " is missing";
            }
            TypeDescription type = resolution.resolve();
            if (!member.declaredBy(type)) {
                return owner + " has no " + member;
            }
        }
        return null;
    }
}
