package dev.drrs.flink;

import java.lang.reflect.Field;

/** Fields of objects whose classes are the user's, or only known when they are met. Any thread. */
public final class ObjectFields {

    private ObjectFields() {}

    /** Those that the class itself declares; none if it names a class that is not there. */
    public static Field[] declaredBy(Class<?> type) {
        try {
            return type.getDeclaredFields();
        } catch (LinkageError e) {
            return new Field[0]; // nothing was ever in a field of such a class
        }
    }

    /**
     * What the field has in this object.
     *
     * @throws java.lang.reflect.InaccessibleObjectException if its module is closed to us
     */
    public static Object value(Field field, Object owner) {
        field.setAccessible(true);
        return read(field, owner);
    }

    /** What the field has in this object; null too if its module is closed to us. */
    public static Object valueIfOpen(Field field, Object owner) {
        return field.trySetAccessible() ? read(field, owner) : null;
    }

    private static Object read(Field field, Object owner) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(field + " cannot be read", e);
        }
    }
}
