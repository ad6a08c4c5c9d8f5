package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Member;
import dev.drrs.flink.PartitionMembers;
import dev.drrs.flink.RestMembers;
import dev.drrs.flink.TaskMembers;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.Remapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A JVM with the agent whose Flink is not the one the plug-in was built for: something of Flink is
 * put in front of its class path in another form. It says so, and runs jobs as stock.
 */
class OtherFlinkITCase {

    private record Ended(int code, String out) {}

    @TempDir private Path directory;

    /** A field, and by class file all that names it: its class, and subclasses if they see it. */
    private record Renamed(Member field, Set<String> files) {

        static Renamed of(Member field, String... subclasses) {
            return new Renamed(
                    field,
                    Stream.concat(Stream.of(field.owner()), Stream.of(subclasses))
                            .map(name -> name.replace('.', '/'))
                            .collect(Collectors.toSet()));
        }

        byte[] in(byte[] classFile) {
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(classFile)
                    .accept(
                            new ClassRemapper(
                                    writer,
                                    new Remapper(Opcodes.ASM9) {
                                        @Override
                                        public String mapFieldName(
                                                String owner, String name, String type) {
                                            return files.contains(owner)
                                                            && name.equals(field.name())
                                                    ? "renamed"
                                                    : name;
                                        }
                                    }),
                            0);
            return writer.toByteArray();
        }
    }

    static Stream<Renamed> renamed() {
        String io = "org.apache.flink.streaming.runtime.io.";
        return Stream.of(
                Renamed.of(
                        TaskMembers.DESERIALIZERS,
                        io + "StreamTaskNetworkInput",
                        io + "recovery.RescalingStreamTaskNetworkInput"),
                Renamed.of(PartitionMembers.LOCK),
                Renamed.of(RestMembers.AGGREGATED));
    }

    @Refuses("cluster: a Flink in which a member that is not public has another name")
    @ParameterizedTest
    @MethodSource("renamed")
    void aFlinkWithOneFieldRenamedRunsAsStockAndTheAgentNamesTheField(Renamed renamed)
            throws Exception {
        for (String name : renamed.files) {
            String file = name + ".class";
            put(file, renamed.in(read(file)));
        }
        Member field = renamed.field;
        Ended stock = runStockProgram();
        assertThat(stock.out)
                .contains("DRRS: not armed, Flink runs as stock")
                .contains(field.owner() + " has no " + field.name())
                .contains(CountedNumbers.KEYS + " " + StockProgram.DONE);
        assertThat(stock.code).isZero();
    }

    @Refuses("cluster: a Flink of another version")
    @Test
    void aFlinkOfAnotherVersionRunsAsStockAndTheAgentSaysBothVersions() throws Exception {
        String file = ".flink-runtime.version.properties";
        String own = "project.version=" + FlinkVersion.builtFor();
        put(file, new String(read(file)).replace(own, "project.version=2.2.1").getBytes());
        Ended stock = runStockProgram();
        assertThat(stock.out)
                .contains("DRRS: not armed, Flink runs as stock: built for Flink ")
                .contains(FlinkVersion.builtFor() + ", found 2.2.1")
                .contains(CountedNumbers.KEYS + " " + StockProgram.DONE);
        assertThat(stock.code).isZero();
    }

    @Test
    void theFlinkOfTheBuildIsArmedByItsClassFiles() throws Exception {
        Ended ended = run("-version");
        assertThat(ended.out).contains("armed with", "whose class files are those of the build");
    }

    @Covers("cluster: a Flink of the same version whose class files are another build's")
    @Test
    void aFlinkOfAnotherBuildIsArmedOnceAllMembersAreFoundAndRunsJobs() throws Exception {
        String file = TaskMembers.DESERIALIZERS.owner().replace('.', '/') + ".class";
        ClassReader reader = new ClassReader(read(file));
        ClassWriter writer = new ClassWriter(0); // with its constants in another order
        reader.accept(writer, 0);
        put(file, writer.toByteArray());
        Ended ended = runStockProgram();
        assertThat(ended.out)
                .contains("armed with", "all members checked", TaskMembers.DESERIALIZERS.owner())
                .contains(CountedNumbers.KEYS + " " + StockProgram.DONE);
        assertThat(ended.code).isZero();
    }

    private static byte[] read(String file) throws IOException {
        try (InputStream in = OtherFlinkITCase.class.getClassLoader().getResourceAsStream(file)) {
            return in.readAllBytes();
        }
    }

    private void put(String file, byte[] content) throws IOException {
        Path target = directory.resolve("front").resolve(file);
        Files.createDirectories(target.getParent());
        Files.write(target, content);
    }

    private Ended runStockProgram() throws IOException, InterruptedException {
        return run(StockProgram.class.getName());
    }

    private Ended run(String what) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // As this JVM was started: the agent, and what Flink needs opened.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(one -> one.startsWith("-javaagent:") || one.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx700m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", classPath(), what));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            boolean ended = process.waitFor(300, TimeUnit.SECONDS);
            assertThat(ended).as("ended; it said %s", Files.readString(out)).isTrue();
            return new Ended(process.exitValue(), Files.readString(out));
        } finally {
            process.destroyForcibly();
        }
    }

    /** What is different, the classes of these tests, and Flink: the plug-in comes as one jar. */
    private String classPath() {
        String ours = File.separator + "flink-plugin" + File.separator;
        String classes = System.getProperty("surefire.test.class.path");
        return Stream.concat(
                        Stream.of(directory.resolve("front").toString()),
                        Arrays.stream(
                                        (classes == null
                                                        ? System.getProperty("java.class.path")
                                                        : classes)
                                                .split(File.pathSeparator))
                                .filter(one -> !one.contains(ours) || one.endsWith("test-classes"))
                                .filter(one -> !one.contains("byte-buddy")))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
