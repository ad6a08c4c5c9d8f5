package dev.drrs.flink;

import java.lang.invoke.VarHandle;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;

/** The class that a serializer of Flink is for. */
public final class SerializedClass {

    private static final VarHandle OF_POJO = Handles.field(OperatorMembers.POJO_CLASS);
    private static final VarHandle OF_KRYO = Handles.field(OperatorMembers.KRYO_CLASS);

    private SerializedClass() {}

    /** Null if the serializer does not tell. */
    public static Class<?> of(TypeSerializer<?> serializer) {
        if (serializer instanceof PojoSerializer) {
            return (Class<?>) OF_POJO.get(serializer);
        }
        return serializer instanceof KryoSerializer ? (Class<?>) OF_KRYO.get(serializer) : null;
    }
}
