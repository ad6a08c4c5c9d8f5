package dev.drrs.instrumentation;

import dev.drrs.flink.Member;
import java.util.List;
import net.bytebuddy.dynamic.DynamicType;

/**
 * One place in Flink where the plug-in takes part: which class, which of its members must be there,
 * and what is woven in.
 *
 * <p>An advice body is a single static call into {@code dev.drrs.runtime}; the logic lives there.
 * Join points are stateless and are used by the class-loading threads.
 */
public interface JoinPoint {

    /** Kebab-case name, unique; shown by the overview endpoint and by the pre-flight check. */
    String name();

    /** Binary name of the Flink class. */
    String type();

    /**
     * Members of {@link #type()} (or of a class named in the member) that this join point relies
     * on.
     */
    List<Member> members();

    /** Weaves the advice in. Called when the class is loaded. */
    DynamicType.Builder<?> transform(DynamicType.Builder<?> builder);
}
