package dev.drrs.instrumentation;

import dev.drrs.flink.Member;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.dynamic.DynamicType;

/**
 * A join point that inlines advice classes into methods of one class. Subclasses hold the advice
 * and say in their comment what Flink would do without it.
 */
public abstract class WovenPoint implements JoinPoint {

    /** Advice for one method or constructor. */
    public record Woven(Member method, Class<?> advice) {}

    private final String name;
    private final String type;
    private final FieldPersistence hook;
    private final List<Woven> woven;
    private final List<Member> members;

    /**
     * @param hooked whether the class gets the field that carries an object of the plug-in; it
     *     stays behind when an object is serialized, as partitioners are
     * @param reliesOn further members that the advice or the logic behind it use
     */
    protected WovenPoint(
            String name, String type, boolean hooked, List<Woven> woven, List<Member> reliesOn) {
        this(name, type, hooked ? FieldPersistence.TRANSIENT : null, woven, reliesOn);
    }

    /**
     * @param hook whether the object of the plug-in goes with one of the class that is serialized;
     *     null if the class gets no field that carries one
     * @param reliesOn further members that the advice or the logic behind it use
     */
    protected WovenPoint(
            String name,
            String type,
            FieldPersistence hook,
            List<Woven> woven,
            List<Member> reliesOn) {
        this.name = name;
        this.type = type;
        this.hook = hook;
        this.woven = woven;
        this.members = new ArrayList<>(woven.stream().map(Woven::method).toList());
        this.members.addAll(reliesOn);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String type() {
        return type;
    }

    @Override
    public final List<Member> members() {
        return members;
    }

    @Override
    public final DynamicType.Builder<?> transform(DynamicType.Builder<?> builder) {
        DynamicType.Builder<?> result = hook == null ? builder : Weaving.hook(builder, hook);
        for (Woven part : woven) {
            result = Weaving.advise(result, part.advice(), part.method());
        }
        return result;
    }
}
