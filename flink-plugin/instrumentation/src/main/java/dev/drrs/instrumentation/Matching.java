package dev.drrs.instrumentation;

import dev.drrs.flink.Member;
import java.util.List;
import net.bytebuddy.description.ByteCodeElement;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/** Finds members in class files that may not be loaded. */
final class Matching {

    private static final String CONSTRUCTOR = "<init>";

    private Matching() {}

    /** The member as the class declares it, or null. */
    static ByteCodeElement.Member find(Member member, TypeDescription type) {
        List<? extends ByteCodeElement.Member> found =
                member.isField()
                        ? type.getDeclaredFields()
                                .filter(
                                        ElementMatchers.<FieldDescription>named(member.name())
                                                .and(
                                                        ElementMatchers.hasDescriptor(
                                                                member.descriptor())))
                        : type.getDeclaredMethods().filter(method(member));
        return found.isEmpty() ? null : found.get(0);
    }

    /** Matches exactly this method or constructor. */
    static ElementMatcher.Junction<MethodDescription> method(Member member) {
        ElementMatcher.Junction<MethodDescription> byName =
                CONSTRUCTOR.equals(member.name())
                        ? ElementMatchers.isConstructor()
                        : ElementMatchers.named(member.name());
        return byName.and(ElementMatchers.hasDescriptor(member.descriptor()));
    }
}
