package dev.drrs.runtime.keys;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;

/** The class that a serializer of Flink is for. */
final class SerializedClass {

    private static final VarHandle OF_POJO = field(PojoSerializer.class, "clazz");
    private static final VarHandle OF_KRYO = field(KryoSerializer.class, "type");

    private SerializedClass() {}

    /** Null if the serializer does not tell. */
    static Class<?> of(TypeSerializer<?> serializer) {
        if (serializer instanceof PojoSerializer) {
            return (Class<?>) OF_POJO.get(serializer);
        }
        return serializer instanceof KryoSerializer ? (Class<?>) OF_KRYO.get(serializer) : null;
    }

    private static VarHandle field(Class<?> owner, String name) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                    .findVarHandle(owner, name, Class.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
