package dev.drrs.runtime.task;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

/**
 * Ways to members of Flink classes that are not public. The pre-flight check has seen each of them
 * before anything here is initialized, so a missing one is a bug of this plug-in.
 */
final class Internals {

    private Internals() {}

    static VarHandle field(Class<?> owner, String name, Class<?> type) {
        try {
            return lookup(owner).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no field " + name + " in " + owner, e);
        }
    }

    static MethodHandle method(
            Class<?> owner, String name, Class<?> returns, Class<?>... parameters) {
        try {
            return lookup(owner)
                    .findVirtual(owner, name, MethodType.methodType(returns, parameters));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no method " + name + " in " + owner, e);
        }
    }

    static MethodHandle constructor(Class<?> owner, Class<?>... parameters) {
        try {
            return lookup(owner)
                    .findConstructor(owner, MethodType.methodType(void.class, parameters));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no such constructor in " + owner, e);
        }
    }

    static Class<?> type(String name) {
        try {
            return Class.forName(name, false, Internals.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("no class " + name, e);
        }
    }

    private static MethodHandles.Lookup lookup(Class<?> owner) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
    }
}
