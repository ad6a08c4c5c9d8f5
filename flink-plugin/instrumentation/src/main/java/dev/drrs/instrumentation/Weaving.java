package dev.drrs.instrumentation;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.Member;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.ModifierAdjustment;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/** The few kinds of weaving that the join points use. */
public final class Weaving {

    /**
     * Name of the field that carries the plug-in's object; advice reads it with
     * {@code @Advice.FieldValue}.
     */
    public static final String HOOK = "drrsHook";

    private Weaving() {}

    /**
     * Inlines the advice class into exactly this method or constructor.
     *
     * <p>The advice is read from its class file: reflection would load the types in its signature,
     * among them often the very class that is being woven, which the JVM then refuses to define.
     *
     * <p>What an advice throws that says {@code suppress} goes to the log, and Flink goes on as if
     * there were no advice: that is for advice that only shows things.
     */
    public static DynamicType.Builder<?> advise(
            DynamicType.Builder<?> builder, Class<?> advice, Member method) {
        ClassFileLocator locator =
                ClassFileLocator.ForClassLoader.of(Weaving.class.getClassLoader());
        TypePool pool = TypePool.Default.of(locator);
        TypeDescription described = pool.describe(advice.getName()).resolve();
        return builder.visit(
                Advice.to(described, locator)
                        .withExceptionHandler(logged(pool))
                        .on(Matching.method(method)));
    }

    private static Advice.ExceptionHandler logged(TypePool pool) {
        return new Advice.ExceptionHandler.Simple(
                MethodInvocation.invoke(
                        pool.describe("dev.drrs.runtime.NotShown")
                                .resolve()
                                .getDeclaredMethods()
                                .filter(ElementMatchers.named("because"))
                                .getOnly()));
    }

    /** Lets these fields of the class change after construction. */
    public static DynamicType.Builder<?> mutable(DynamicType.Builder<?> builder, String... fields) {
        return builder.visit(
                new ModifierAdjustment()
                        .withFieldModifiers(
                                ElementMatchers.namedOneOf(fields), FieldManifestation.PLAIN));
    }

    /**
     * Adds the field {@link #HOOK} and lets the class implement {@link HookHolder}.
     *
     * @param persistence whether the hook goes with an object that is serialized
     */
    public static DynamicType.Builder<?> hook(
            DynamicType.Builder<?> builder, FieldPersistence persistence) {
        return builder.defineField(HOOK, Object.class, Visibility.PUBLIC, persistence)
                .implement(HookHolder.class)
                .intercept(FieldAccessor.ofField(HOOK));
    }
}
