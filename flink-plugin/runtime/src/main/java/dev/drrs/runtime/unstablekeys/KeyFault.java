package dev.drrs.runtime.unstablekeys;

import dev.drrs.flink.SerializedClass;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** What is said of a key whose hash code is not stable. */
public final class KeyFault {

    private KeyFault() {}

    /**
     * @param keyClass its name
     * @param unstable what {@link UnstableHash} found
     */
    public static String of(String keyClass, String unstable) {
        return "its keys of class "
                + keyClass
                + " have no stable hash code, so records and state of a key would not meet ("
                + unstable
                + ")";
    }

    /** The class that a serializer makes, as far as it tells. */
    public static String classOf(TypeSerializer<?> serializer) {
        Class<?> known = SerializedClass.of(serializer);
        if (known != null) {
            return known.getName();
        }
        Object instance = serializer.createInstance();
        return instance == null
                ? serializer.getClass().getSimpleName()
                : instance.getClass().getName();
    }
}
