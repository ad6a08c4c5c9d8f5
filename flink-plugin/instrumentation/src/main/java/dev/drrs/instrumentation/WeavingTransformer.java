package dev.drrs.instrumentation;

import dev.drrs.runtime.AgentState;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import net.bytebuddy.dynamic.ClassFileLocator;

/**
 * Weaves the classes of join points as they are loaded. A class that was known at build time, and
 * comes as exactly that class file, was woven then; another agent may have changed it since the
 * pre-flight check read it, and then it is woven here. Called by the threads that load classes.
 */
final class WeavingTransformer implements ClassFileTransformer {

    /** Binary names by internal ones: this is asked for each class that the JVM loads. */
    private final Map<String, String> types = new HashMap<>();

    private final KnownFlink known;
    private final BiConsumer<String, Throwable> failed;

    /**
     * @param known null if what was woven at build time is not to be used
     * @param failed is told of a class that could not be woven; the JVM is half armed then
     */
    WeavingTransformer(
            List<AgentState.Point> points, KnownFlink known, BiConsumer<String, Throwable> failed) {
        points.forEach(point -> types.put(point.target().replace('.', '/'), point.target()));
        this.known = known;
        this.failed = failed;
    }

    @Override
    public byte[] transform(
            ClassLoader loader,
            String name,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] file) {
        String type = name == null ? null : types.get(name);
        if (type == null) {
            return null;
        }
        try {
            byte[] woven = known != null && known.has(type, file) ? KnownFlink.woven(type) : null;
            return woven == null ? wovenNow(type, file, loader) : woven;
        } catch (IOException | RuntimeException | LinkageError e) {
            // The JVM swallows what is thrown here.
            failed.accept(type, e);
            return null;
        }
    }

    private static byte[] wovenNow(String type, byte[] file, ClassLoader loader) {
        return Weaver.weave(
                type, file, JoinPoints.all(), ClassFileLocator.ForClassLoader.of(loader));
    }
}
