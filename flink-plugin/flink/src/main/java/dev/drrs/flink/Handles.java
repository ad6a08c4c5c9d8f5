package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The one way to members of Flink that are not public.
 *
 * <p>Nothing here throws: handles are found in static initializers of classes that jobs load which
 * are not elastic. A member that is not there is null, is noted, and whoever asked to be told is
 * told. The pre-flight check looks for the same members, so that this does not happen in a JVM that
 * is armed. Any thread.
 */
public final class Handles {

    private interface Finder<T> {
        T find(Class<?> owner, MethodHandles.Lookup in) throws ReflectiveOperationException;
    }

    private static final ClassLoader LOADER = Handles.class.getClassLoader();
    private static final List<String> MISSING = new CopyOnWriteArrayList<>();
    private static volatile Consumer<String> listener = missing -> {};

    private Handles() {}

    /** Members that were asked for and not found, as {@code class.member}. */
    public static List<String> missing() {
        return List.copyOf(MISSING);
    }

    /**
     * @param whenMissing is told of each member that is not found from now on, in the thread that
     *     asked for it
     */
    public static void whenMissing(Consumer<String> whenMissing) {
        listener = whenMissing;
    }

    /** The field, to be read and, unless it is final, written. */
    public static VarHandle field(Member member) {
        return find(member, (owner, in) -> in.findVarHandle(owner, member.name(), type(member)));
    }

    /** Writes the instance field, which may be final. */
    public static MethodHandle setter(Member member) {
        return find(
                member,
                (owner, in) -> {
                    // The only way to a handle that writes a final instance field.
                    Field field = owner.getDeclaredField(member.name());
                    if (field.getType() != type(member)) {
                        throw new NoSuchFieldException(member.toString());
                    }
                    field.setAccessible(true);
                    return in.unreflectSetter(field);
                });
    }

    public static MethodHandle method(Member member) {
        return find(
                member,
                (owner, in) ->
                        in.findVirtual(owner, member.name(), signature(member.descriptor())));
    }

    public static MethodHandle constructor(Member member) {
        return find(
                member, (owner, in) -> in.findConstructor(owner, signature(member.descriptor())));
    }

    /** The class that declares the member, not initialized. */
    public static Class<?> owner(Member member) {
        return find(member, (owner, in) -> owner);
    }

    private static <T> T find(Member member, Finder<T> finder) {
        try {
            Class<?> owner = Class.forName(member.owner(), false, LOADER);
            return finder.find(owner, MethodHandles.privateLookupIn(owner, MethodHandles.lookup()));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            MISSING.add(member.toString());
            listener.accept(member + " (" + e + ")");
            return null;
        }
    }

    private static Class<?> type(Member field) {
        return signature("()" + field.descriptor()).returnType();
    }

    private static MethodType signature(String descriptor) {
        return MethodType.fromMethodDescriptorString(descriptor, LOADER);
    }
}
