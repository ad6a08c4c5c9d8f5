package dev.drrs.instrumentation;

import dev.drrs.runtime.HookHolder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.pool.TypePool;

/** The few kinds of weaving that the join points use. */
public final class Weaving {

    /** Name of the field that carries the plug-in's object; advice reads it with {@code @Advice.FieldValue}. */
    public static final String HOOK = "drrsHook";

    private static final ClassFileLocator ADVICE_FILES = ClassFileLocator.ForClassLoader.of(Weaving.class.getClassLoader());
    private static final TypePool ADVICE = TypePool.Default.of(ADVICE_FILES);

    private Weaving() {}

    /**
     * Inlines the advice class into exactly this method or constructor.
     *
     * <p>The advice is read as a class file: reflection on it would load the classes that its methods name, among them the
     * very class that is being woven.
     */
    public static DynamicType.Builder<?> advise(DynamicType.Builder<?> builder, Class<?> advice, Member method) {
        return builder.visit(
                Advice.to(ADVICE.describe(advice.getName()).resolve(), ADVICE_FILES).on(method.matcher()));
    }

    /**
     * Adds the field {@link #HOOK} and lets the class implement {@link HookHolder}. The field is transient: partitioners
     * are serialized.
     */
    public static DynamicType.Builder<?> hook(DynamicType.Builder<?> builder) {
        return builder.defineField(HOOK, Object.class, Visibility.PUBLIC, FieldPersistence.TRANSIENT)
                .implement(HookHolder.class)
                .intercept(FieldAccessor.ofField(HOOK));
    }
}
