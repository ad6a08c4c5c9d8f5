package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.HookHolder;
import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.runtime.AgentState;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** Which check is made before arming, and which class files are woven at build time. */
class KnownFlinkTest {

    private static final ClassLoader STOCK = KnownFlinkTest.class.getClassLoader();
    private static final ClassFileLocator FILES = ClassFileLocator.ForClassLoader.of(STOCK);
    private static final Member MEMBER = TaskMembers.DESERIALIZERS;

    /** Has a member that a join point gives its class: the plug-in's hook. */
    private static final String HOOKED =
            "org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput";

    private final List<Throwable> failed = new ArrayList<>();

    @Test
    void theFlinkOfTheBuildNeedsNoFurtherCheck() {
        Verdict verdict = Verdict.on(STOCK);
        assertThat(verdict.known()).isNotNull();
        assertThat(verdict.reason()).isNull();
        assertThat(verdict.points())
                .isEqualTo(
                        JoinPoints.all().stream()
                                .map(p -> new AgentState.Point(p.name(), p.type(), true, null))
                                .toList());
    }

    @Test
    void theClassesOfAllJoinPointsAndMembersAreAmongTheFilesThatAreCompared() throws IOException {
        KnownFlink known = KnownFlink.ofBuild();
        List<String> all = new ArrayList<>();
        for (JoinPoint point : JoinPoints.all()) {
            all.add(point.type());
            point.members().stream().map(Member::owner).filter(Objects::nonNull).forEach(all::add);
        }
        FlinkMembers.all().forEach(member -> all.add(member.owner()));
        for (String type : all) {
            assertThat(known.has(type, FILES.locate(type).resolve())).as(type).isTrue();
        }
    }

    @Test
    void oneClassFileThatIsDifferentLeadsToTheWholeCheck() throws IOException {
        Verdict verdict = Verdict.on(withClass(MEMBER.owner(), withAField(file(MEMBER.owner()))));
        assertThat(verdict.known()).isNull();
        assertThat(verdict.how()).contains(MEMBER.owner());
        assertThat(verdict.reason()).isNull();
        assertThat(verdict.points()).isEqualTo(Verdict.on(STOCK).points());
    }

    @Test
    void aMemberThatIsRenamedIsFoundByTheWholeCheckAndNothingIsArmed() throws IOException {
        byte[] renamed = RenamedMembersTest.renamed(file(MEMBER.owner()), MEMBER);
        Verdict verdict = Verdict.on(withClass(MEMBER.owner(), renamed));
        assertThat(verdict.known()).isNull();
        assertThat(verdict.reason()).contains(MEMBER.owner() + " has no " + MEMBER.name());
    }

    @Test
    void aClassThatIsNotThereLeadsToTheWholeCheck() {
        Verdict verdict = Verdict.on(withClass(MEMBER.owner(), null));
        assertThat(verdict.reason()).contains("class " + MEMBER.owner() + " is missing");
    }

    @Test
    void aFlinkOfAnotherVersionIsNotArmedThoughItsClassFilesAreTheSame() {
        ClassLoader other =
                with(".flink-runtime.version.properties", "project.version=2.2.1".getBytes());
        assertThat(Verdict.on(other).reason()).contains("found 2.2.1");
    }

    @Test
    void whatWasWovenAtBuildTimeIsWhatWouldBeWovenNow() throws IOException {
        for (JoinPoint point : JoinPoints.all()) {
            byte[] now = Weaver.weave(point.type(), file(point.type()), JoinPoints.all(), FILES);
            assertThat(KnownFlink.woven(point.type())).as(point.type()).isEqualTo(now);
        }
    }

    @Test
    void aKnownClassFileBecomesWhatWasWovenAtBuildTime() throws IOException {
        WeavingTransformer transformer = transformer(KnownFlink.ofBuild());
        assertThat(transformed(transformer, HOOKED, file(HOOKED)))
                .isEqualTo(KnownFlink.woven(HOOKED));
        assertThat(transformed(transformer, "java.lang.Object", new byte[0])).isNull();
        assertThat(transformer.transform(STOCK, null, null, null, new byte[0])).isNull();
        assertThat(failed).isEmpty();
    }

    @Test
    void aClassFileThatAnotherAgentHasChangedIsWovenAsItIs() throws IOException {
        byte[] changed = withAField(file(HOOKED));
        for (KnownFlink known : new KnownFlink[] {KnownFlink.ofBuild(), null}) {
            byte[] woven = transformed(transformer(known), HOOKED, changed);
            TypeDescription type =
                    TypePool.Default.of(
                                    new ClassFileLocator.Compound(
                                            ClassFileLocator.Simple.of(HOOKED, woven), FILES))
                            .describe(HOOKED)
                            .resolve();
            assertThat(type.isAssignableTo(HookHolder.class)).isTrue();
            assertThat(type.getDeclaredFields().stream().map(field -> field.getName()))
                    .contains("added");
        }
        assertThat(failed).isEmpty();
    }

    @Test
    void aClassThatCannotBeWovenIsSaid() {
        assertThat(transformed(transformer(null), HOOKED, new byte[] {1, 2, 3})).isNull();
        assertThat(failed).hasSize(1);
    }

    private WeavingTransformer transformer(KnownFlink known) {
        return new WeavingTransformer(
                Verdict.on(STOCK).points(), known, (type, error) -> failed.add(error));
    }

    private static byte[] transformed(WeavingTransformer transformer, String type, byte[] file) {
        return transformer.transform(STOCK, type.replace('.', '/'), null, null, file);
    }

    private static byte[] file(String type) throws IOException {
        return FILES.locate(type).resolve();
    }

    /** The same class with one more field, which changes nothing for us. */
    private static byte[] withAField(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public void visitEnd() {
                        visitField(Opcodes.ACC_PRIVATE, "added", "I", null, null).visitEnd();
                        super.visitEnd();
                    }
                },
                0);
        return writer.toByteArray();
    }

    /**
     * @param classFile null if there is none
     */
    private static ClassLoader withClass(String type, byte[] classFile) {
        return with(type.replace('.', '/') + ".class", classFile);
    }

    private static ClassLoader with(String path, byte[] content) {
        return new ClassLoader(STOCK) {
            @Override
            public InputStream getResourceAsStream(String name) {
                if (!name.equals(path)) {
                    return super.getResourceAsStream(name);
                }
                return content == null ? null : new ByteArrayInputStream(content);
            }
        };
    }
}
