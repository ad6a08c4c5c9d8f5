package dev.drrs.nexmark.types;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The Flink type of an immutable record with a serializer of its own. Not usable as a key. */
public final class ValueType<T> extends TypeInformation<T> {

    private final Class<T> typeClass;
    private final ValueSerializer<T> serializer;

    public ValueType(Class<T> typeClass, ValueSerializer<T> serializer) {
        this.typeClass = typeClass;
        this.serializer = serializer;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return typeClass;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public String toString() {
        return typeClass.getSimpleName();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueType<?> that && typeClass.equals(that.typeClass);
    }

    @Override
    public int hashCode() {
        return typeClass.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ValueType<?>;
    }
}
