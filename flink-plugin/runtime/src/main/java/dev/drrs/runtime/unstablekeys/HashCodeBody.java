package dev.drrs.runtime.unstablekeys;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Handle;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;

/**
 * What the {@code hashCode()} that a class itself declares takes from its fields, read from the
 * class file. A field of which only a stable property is used (the name or ordinal of an enum, the
 * content of an array) does not count.
 */
final class HashCodeBody {

    private static final String OBJECT_METHODS = "java/lang/runtime/ObjectMethods";

    /** What turns an enum into something that is the same in every JVM. */
    private static final Set<String> OF_ENUMS = Set.of("name", "ordinal", "toString");

    private final Set<String> fields;
    private final boolean all;
    private final boolean callsSuper;

    private HashCodeBody(Set<String> fields, boolean all, boolean callsSuper) {
        this.fields = fields;
        this.all = all;
        this.callsSuper = callsSuper;
    }

    private static final ClassValue<HashCodeBody> KNOWN =
            new ClassValue<>() {
                @Override
                protected HashCodeBody computeValue(Class<?> declaring) {
                    return read(declaring);
                }
            };

    /**
     * Of a class that declares {@code hashCode()}. If its class file cannot be found, all fields
     * count.
     */
    static HashCodeBody of(Class<?> declaring) {
        return KNOWN.get(declaring);
    }

    private static HashCodeBody read(Class<?> declaring) {
        String file = "/" + declaring.getName().replace('.', '/') + ".class";
        try (InputStream bytes = declaring.getResourceAsStream(file)) {
            if (bytes == null) {
                return new HashCodeBody(Set.of(), true, true);
            }
            Reading reading = new Reading(declaring);
            new ClassReader(bytes.readAllBytes())
                    .accept(reading, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return new HashCodeBody(reading.fields, reading.all, reading.callsSuper);
        } catch (IOException e) {
            throw new UncheckedIOException("Class file of " + declaring.getName(), e);
        }
    }

    /** Whether it takes the hash code of this field of its class. */
    boolean hashes(String field) {
        return all || fields.contains(field);
    }

    /** Whether it takes what its superclass computes. */
    boolean callsSuper() {
        return callsSuper;
    }

    /** Follows what happens to a field right after it was read: the instruction behind decides. */
    private static final class Reading extends ClassVisitor {
        private final Class<?> type;
        private final String name;
        private final Set<String> fields = new HashSet<>();
        private boolean all;
        private boolean callsSuper;

        Reading(Class<?> type) {
            super(Opcodes.ASM9);
            this.type = type;
            this.name = type.getName().replace('.', '/');
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] thrown) {
            return method.equals("hashCode") && descriptor.equals("()I") ? new Body() : null;
        }

        private final class Body extends MethodVisitor {
            private String read;

            Body() {
                super(Opcodes.ASM9);
            }

            private void used(boolean stable) {
                if (read != null && !stable) {
                    fields.add(read);
                }
                read = null;
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
                used(false);
                if (opcode == Opcodes.GETFIELD && owner.equals(name)) {
                    read = field;
                }
            }

            @Override
            public void visitMethodInsn(
                    int opcode, String owner, String method, String descriptor, boolean itf) {
                boolean ofArray = owner.equals("java/util/Arrays");
                used(ofArray || OF_ENUMS.contains(method) && descriptor.startsWith("()"));
                if (opcode == Opcodes.INVOKESPECIAL && method.equals("hashCode")) {
                    callsSuper = true;
                } else if (owner.equals(name) && descriptor.startsWith("()")) {
                    read = fieldOf(method);
                }
            }

            @Override
            public void visitInvokeDynamicInsn(
                    String method, String descriptor, Handle bootstrap, Object... arguments) {
                used(false);
                all |= bootstrap.getOwner().equals(OBJECT_METHODS);
            }

            @Override
            public void visitJumpInsn(int opcode, Label label) {
                used(opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL);
            }

            @Override
            public void visitInsn(int opcode) {
                used(opcode == Opcodes.ARRAYLENGTH);
            }

            @Override
            public void visitVarInsn(int opcode, int variable) {
                used(false);
            }

            @Override
            public void visitTypeInsn(int opcode, String of) {
                used(false);
            }

            @Override
            public void visitIntInsn(int opcode, int operand) {
                used(false);
            }

            @Override
            public void visitLdcInsn(Object value) {
                used(false);
            }
        }

        /** The field that a getter returns, by its name; null if it is none. */
        private String fieldOf(String method) {
            for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
                for (Field field : owner.getDeclaredFields()) {
                    String capital =
                            Character.toUpperCase(field.getName().charAt(0))
                                    + field.getName().substring(1);
                    if (method.equals(field.getName()) || method.equals("get" + capital)) {
                        return field.getName();
                    }
                }
            }
            return null;
        }
    }
}
