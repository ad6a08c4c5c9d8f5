package dev.drrs.instrumentation;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.FlinkVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/**
 * Run by the build, on the Flink that the plug-in is built for: checks and weaves as the agent
 * would and writes down what came of it, for {@link KnownFlink}.
 */
public final class WeaveAtBuild {

    private WeaveAtBuild() {}

    /**
     * @param arguments the folder that the build puts classes into
     */
    public static void main(String[] arguments) throws IOException {
        Path folder =
                Path.of(arguments[0])
                        .resolve(WeaveAtBuild.class.getPackageName().replace('.', '/'));
        ClassLoader loader = WeaveAtBuild.class.getClassLoader();
        ClassFileLocator flink = ClassFileLocator.ForClassLoader.of(loader);
        List<JoinPoint> points = JoinPoints.all();
        Map<String, byte[]> checked = checked(flink, FlinkVersion.found(loader), points);
        for (String type : points.stream().map(JoinPoint::type).distinct().toList()) {
            byte[] woven = Weaver.weave(type, checked.get(type), points, flink);
            write(folder.resolve(KnownFlink.wovenFile(type)), woven);
        }
        String index = KnownFlink.index(points, checked);
        write(folder.resolve(KnownFlink.indexFile()), index.getBytes(StandardCharsets.UTF_8));
    }

    /** The class files that the check reads, by binary name. */
    private static Map<String, byte[]> checked(
            ClassFileLocator flink, String version, List<JoinPoint> points) {
        Read read = new Read(flink);
        PreFlight preFlight = new PreFlight(TypePool.Default.of(read), version);
        String reason =
                Verdict.reason(
                        preFlight.versionFault(), preFlight.check(points, FlinkMembers.all()));
        if (reason != null) {
            throw new IllegalStateException("The agent would not arm: " + reason);
        }
        return read.files;
    }

    private static void write(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    private static final class Read implements ClassFileLocator {

        private final Map<String, byte[]> files = new TreeMap<>();
        private final ClassFileLocator all;

        Read(ClassFileLocator all) {
            this.all = all;
        }

        @Override
        public Resolution locate(String type) throws IOException {
            Resolution found = all.locate(type);
            if (found.isResolved()) {
                files.put(type, found.resolve());
            }
            return found;
        }

        @Override
        public void close() throws IOException {
            all.close();
        }
    }
}
