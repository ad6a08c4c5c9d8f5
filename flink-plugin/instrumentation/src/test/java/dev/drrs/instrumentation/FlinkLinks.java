package dev.drrs.instrumentation;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import dev.drrs.flink.Member;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import net.bytebuddy.description.ByteCodeElement;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;

/**
 * Members of Flink that are not public, or of a class that is not, to which our class files are
 * linked: called, read, written, referred to or overridden.
 */
final class FlinkLinks {

    private final TypePool pool =
            TypePool.Default.of(
                    ClassFileLocator.ForClassLoader.of(FlinkLinks.class.getClassLoader()));
    private final Set<Member> found = new LinkedHashSet<>();
    private final Set<String> ours = new HashSet<>();

    private FlinkLinks() {}

    static Set<Member> of(JavaClasses classes) {
        FlinkLinks links = new FlinkLinks();
        classes.forEach(one -> links.ours.add(one.getName()));
        classes.forEach(links::read);
        return links.found;
    }

    private void read(JavaClass one) {
        if (one.getSource().isEmpty()) {
            return;
        }
        try (InputStream file = one.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(file)
                    .accept(
                            new Links(pool.describe(one.getName()).resolve()),
                            ClassReader.SKIP_DEBUG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void link(String owner, String name, String descriptor) {
        if (owner.startsWith("[") || !isFlinks(owner.replace('/', '.'))) {
            return;
        }
        TypeDescription start = pool.describe(owner.replace('/', '.')).resolve();
        for (TypeDescription type : withSupertypes(start)) {
            if (noteIfHidden(type, name, descriptor)) {
                return;
            }
        }
    }

    private boolean isFlinks(String type) {
        return type.startsWith("org.apache.flink.")
                && !type.startsWith("org.apache.flink.shaded.") // other people's, with an API
                && !ours.contains(type);
    }

    /** True if the type declares the member. */
    private boolean noteIfHidden(TypeDescription type, String name, String descriptor) {
        Member member = Member.of(type.getName(), name, descriptor);
        ByteCodeElement.Member declared = Matching.find(member, type);
        if (declared == null) {
            return false;
        }
        boolean open = type.isPublic() && declared.isPublic();
        if (isFlinks(type.getName()) && !open) {
            found.add(member);
        }
        return true;
    }

    private static Set<TypeDescription> withSupertypes(TypeDescription start) {
        Set<TypeDescription> all = new LinkedHashSet<>();
        Deque<TypeDescription> open = new ArrayDeque<>(Set.of(start));
        while (!open.isEmpty()) {
            TypeDescription next = open.poll();
            if (all.add(next)) {
                TypeDefinition parent = next.getSuperClass();
                if (parent != null) {
                    open.add(parent.asErasure());
                }
                next.getInterfaces().asErasures().forEach(open::add);
            }
        }
        return all;
    }

    private final class Links extends ClassVisitor {

        private final TypeDescription self;

        Links(TypeDescription self) {
            super(Opcodes.ASM9);
            this.self = self;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            if (!name.startsWith("<") && (access & Opcodes.ACC_STATIC) == 0) {
                for (TypeDescription type : withSupertypes(self)) {
                    if (isFlinks(type.getName()) && noteIfHidden(type, name, descriptor)) {
                        break;
                    }
                }
            }
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitFieldInsn(int code, String owner, String field, String type) {
                    link(owner, field, type);
                }

                @Override
                public void visitMethodInsn(
                        int code, String owner, String method, String type, boolean isInterface) {
                    link(owner, method, type);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String method, String type, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            link(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }
    }
}
