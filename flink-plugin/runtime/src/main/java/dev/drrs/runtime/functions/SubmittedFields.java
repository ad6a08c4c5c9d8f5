package dev.drrs.runtime.functions;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * What the fields of an object of Flink have that came with the job: those that are serialized.
 * What is transient belongs to a task, and from there the way leads through all of Flink.
 */
public final class SubmittedFields {

    private SubmittedFields() {}

    /** Values that are not null, those of superclasses too as far as they are Flink's. */
    public static List<Object> of(Object owner) {
        List<Object> values = new ArrayList<>();
        for (Class<?> type = owner.getClass();
                type != null && UserCode.isFlinks(type);
                type = type.getSuperclass()) {
            for (Field field : fieldsOf(type)) {
                Object value = isSubmitted(field) ? valueOf(field, owner) : null;
                if (value != null) {
                    values.add(value);
                }
            }
        }
        return values;
    }

    /** All that the class declares; none if one is of a class that the job's jar has not. */
    static Field[] fieldsOf(Class<?> type) {
        try {
            return type.getDeclaredFields();
        } catch (LinkageError e) {
            return new Field[0]; // nothing was ever in it
        }
    }

    private static boolean isSubmitted(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !Modifier.isTransient(field.getModifiers())
                && !field.getType().isPrimitive();
    }

    private static Object valueOf(Field field, Object owner) {
        try {
            field.setAccessible(true);
            return field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a field made accessible is accessible", e);
        }
    }
}
