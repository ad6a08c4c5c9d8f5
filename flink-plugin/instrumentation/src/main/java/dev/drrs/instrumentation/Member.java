package dev.drrs.instrumentation;

import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * A member of a Flink class that a join point relies on.
 *
 * @param owner binary name of the class that declares it, or null for the join point's own class
 * @param name method or field name; {@code <init>} for a constructor
 * @param descriptor JVM descriptor
 */
public record Member(String owner, String name, String descriptor) {

    private static final String CONSTRUCTOR = "<init>";

    public static Member of(String name, String descriptor) {
        return new Member(null, name, descriptor);
    }

    public static Member of(String owner, String name, String descriptor) {
        return new Member(owner, name, descriptor);
    }

    boolean isField() {
        return !descriptor.startsWith("(");
    }

    boolean declaredBy(TypeDescription type) {
        if (isField()) {
            return !type.getDeclaredFields()
                    .filter(
                            ElementMatchers.named(name)
                                    .and(field -> field.getDescriptor().equals(descriptor)))
                    .isEmpty();
        }
        return !type.getDeclaredMethods().filter(matcher()).isEmpty();
    }

    /** Matches exactly this method or constructor. */
    public ElementMatcher.Junction<MethodDescription> matcher() {
        ElementMatcher.Junction<MethodDescription> byName =
                CONSTRUCTOR.equals(name)
                        ? ElementMatchers.isConstructor()
                        : ElementMatchers.named(name);
        return byName.and(ElementMatchers.hasDescriptor(descriptor));
    }

    @Override
    public String toString() {
        return (owner == null ? "" : owner + '.') + name + (isField() ? ": " : "") + descriptor;
    }
}
