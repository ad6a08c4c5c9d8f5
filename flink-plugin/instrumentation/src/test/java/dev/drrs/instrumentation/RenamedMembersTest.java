package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A Flink in which one member that the plug-in relies on has another name. */
class RenamedMembersTest {

    private static final ClassFileLocator FILES =
            ClassFileLocator.ForClassLoader.of(RenamedMembersTest.class.getClassLoader());

    /** Shared by all tests, so that each class file is read once. */
    private static final TypePool FLINK = TypePool.Default.of(FILES);

    private static final KnownFlink KNOWN = knownFlink();

    private static KnownFlink knownFlink() {
        try {
            return KnownFlink.ofBuild();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<Member> everyMember() {
        Stream<Member> ofJoinPoints =
                JoinPoints.all().stream()
                        .flatMap(
                                point ->
                                        point.members().stream()
                                                .map(member -> owned(member, point.type())));
        return Stream.concat(ofJoinPoints, FlinkMembers.all().stream()).distinct();
    }

    private static Member owned(Member member, String type) {
        return member.owner() != null
                ? member
                : Member.of(type, member.name(), member.descriptor());
    }

    @ParameterizedTest
    @MethodSource("everyMember")
    void ifOneMemberIsRenamedTheAgentDoesNotArmAndNamesIt(Member member) throws IOException {
        byte[] renamed = renamed(FILES.locate(member.owner()).resolve(), member);
        PreFlight preFlight =
                new PreFlight(flinkWith(member.owner(), renamed), FlinkVersion.builtFor());
        List<PreFlight.Finding> findings = preFlight.check(JoinPoints.all(), FlinkMembers.all());
        assertThat(Verdict.reason(preFlight.versionFault(), findings))
                .contains(member.owner() + " has no " + member.name(), member.descriptor());
        assertThat(KNOWN.has(member.owner(), renamed)).as("spared the check").isFalse();
    }

    private static TypePool flinkWith(String type, byte[] classFile) {
        TypePool changed =
                TypePool.Default.of(
                        new ClassFileLocator.Compound(
                                ClassFileLocator.Simple.of(type, classFile), FILES));
        return new TypePool() {
            @Override
            public Resolution describe(String name) {
                return (name.equals(type) ? changed : FLINK).describe(name);
            }

            @Override
            public void clear() {
                changed.clear();
            }
        };
    }

    static byte[] renamed(byte[] classFile, Member member) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public FieldVisitor visitField(
                            int access, String name, String type, String generic, Object value) {
                        return super.visitField(access, name(name, type), type, generic, value);
                    }

                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String type, String generic, String[] thrown) {
                        return super.visitMethod(access, name(name, type), type, generic, thrown);
                    }

                    private String name(String name, String type) {
                        return name.equals(member.name()) && type.equals(member.descriptor())
                                ? "renamed"
                                : name;
                    }
                },
                ClassReader.SKIP_CODE);
        return writer.toByteArray();
    }
}
