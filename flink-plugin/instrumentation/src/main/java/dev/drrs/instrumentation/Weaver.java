package dev.drrs.instrumentation;

import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.pool.TypePool;

/** Weaves one class: the same at build time and in the JVM that loads it. Loads no class of it. */
final class Weaver {

    private Weaver() {}

    /**
     * @param type binary name of the class
     * @param file its class file, which need not be the one on the class path
     * @param points all join points; those of other classes do nothing
     * @param others finds the class files of other classes
     */
    static byte[] weave(String type, byte[] file, List<JoinPoint> points, ClassFileLocator others) {
        ClassFileLocator files =
                new ClassFileLocator.Compound(ClassFileLocator.Simple.of(type, file), others);
        DynamicType.Builder<?> builder =
                new ByteBuddy()
                        .redefine(TypePool.Default.of(files).describe(type).resolve(), files);
        for (JoinPoint point : points) {
            if (point.type().equals(type)) {
                builder = point.transform(builder);
            }
        }
        return builder.make().getBytes();
    }
}
