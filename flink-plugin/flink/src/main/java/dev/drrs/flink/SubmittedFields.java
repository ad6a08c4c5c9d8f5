package dev.drrs.flink;

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
                type != null && isFlinks(type);
                type = type.getSuperclass()) {
            for (Field field : ObjectFields.declaredBy(type)) {
                Object value = isSubmitted(field) ? ObjectFields.value(field, owner) : null;
                if (value != null) {
                    values.add(value);
                }
            }
        }
        return values;
    }

    /** Whether a class is Flink's own, or one of a Flink connector. */
    public static boolean isFlinks(Class<?> type) {
        return type.getName().startsWith("org.apache.flink.");
    }

    private static boolean isSubmitted(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !Modifier.isTransient(field.getModifiers())
                && !field.getType().isPrimitive();
    }
}
