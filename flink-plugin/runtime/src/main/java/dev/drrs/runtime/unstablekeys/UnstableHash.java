package dev.drrs.runtime.unstablekeys;

import dev.drrs.flink.ObjectFields;
import dev.drrs.flink.SerializedClass;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.EnumSerializer;
import org.apache.flink.api.common.typeutils.base.GenericArraySerializer;
import org.apache.flink.api.common.typeutils.base.array.StringArraySerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.types.Row;

/**
 * Finds the part of a key whose hash code is not the same in every JVM: an enum, an array, an
 * object without a {@code hashCode()} of its own. A key that has one belongs to another key group
 * in each process, and to another one after each restart.
 *
 * <p>Types tell most of it before a job runs; what they leave open (interfaces, generic types)
 * {@link #inValue} finds in real keys. Answers are parts of a sentence, null if nothing was found.
 * Any thread.
 */
public final class UnstableHash {

    /** More elements of one collection say nothing new. */
    private static final int ELEMENTS = 100;

    private static final String PRIMITIVE_ARRAYS = StringArraySerializer.class.getPackageName();

    private UnstableHash() {}

    /** Looks at the type that a serializer is for. */
    public static String inType(TypeSerializer<?> serializer) {
        return inType(serializer, false);
    }

    /**
     * @param byContent arrays are hashed by their content, as by a {@link Row}
     */
    private static String inType(TypeSerializer<?> serializer, boolean byContent) {
        if (serializer instanceof EnumSerializer) {
            return anEnum(enumClass(serializer));
        }
        if (serializer.getClass().getPackageName().equals(PRIMITIVE_ARRAYS)) {
            return byContent ? null : anArray(serializer.createInstance().getClass());
        }
        if (serializer instanceof GenericArraySerializer && !byContent) {
            return anArray(serializer.createInstance().getClass());
        }
        Class<?> known = SerializedClass.of(serializer);
        if (known != null) {
            return inType(known, new HashSet<>());
        }
        TypeSerializerSnapshot<?> snapshot = serializer.snapshotConfiguration();
        if (snapshot instanceof CompositeTypeSerializerSnapshot<?, ?> composite) {
            boolean nestedByContent = byContent || serializer instanceof RowSerializer;
            TypeSerializerSnapshot<?>[] nested = composite.getNestedSerializerSnapshots();
            for (int i = 0; i < nested.length; i++) {
                String found = inType(nested[i].restoreSerializer(), nestedByContent);
                if (found != null) {
                    return nested.length == 1 ? found : "part " + (i + 1) + ": " + found;
                }
            }
        }
        return null;
    }

    private static Class<?> enumClass(TypeSerializer<?> serializer) {
        return ((Enum<?>) serializer.createInstance()).getDeclaringClass();
    }

    private static String inType(Type type, Set<Type> seen) {
        if (!seen.add(type)) {
            return null;
        }
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            if (!hashesItsElements(raw)) {
                return inType(raw, seen);
            }
            for (Type argument : generic.getActualTypeArguments()) {
                String found = inType(argument, seen);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
        if (!(type instanceof Class<?> known) || known.isPrimitive()) {
            return null;
        }
        String found = ofItself(known);
        if (found != null || isOpen(known) || !isOfUser(known)) {
            return found;
        }
        return inFields(known, field -> inType(field.getGenericType(), seen));
    }

    private static boolean hashesItsElements(Class<?> type) {
        return Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type)
                || Map.Entry.class.isAssignableFrom(type)
                || Optional.class == type
                || Tuple.class.isAssignableFrom(type);
    }

    /** Looks at a key. */
    public static String inValue(Object key) {
        return inValue(key, false, 0);
    }

    private static String inValue(Object value, boolean byContent, int depth) {
        if (value == null || depth > ELEMENTS) {
            return null;
        }
        if (value instanceof Object[] array && byContent) {
            return inElements(Arrays.asList(array), true, depth);
        }
        if (value instanceof Row row) {
            return inElements(parts(row.getArity(), row::getField), true, depth);
        }
        if (value instanceof Tuple tuple) {
            return inElements(parts(tuple.getArity(), tuple::getField), false, depth);
        }
        String found = value.getClass().isArray() && byContent ? null : ofItself(value.getClass());
        if (found != null) {
            return found;
        }
        if (value instanceof Collection<?> collection) {
            boolean deep = byContent && value instanceof List;
            return inElements(collection, deep, depth);
        }
        if (value instanceof Map<?, ?> map) {
            found = inElements(map.keySet(), byContent, depth);
            return found != null ? found : inElements(map.values(), byContent, depth);
        }
        if (value instanceof Optional<?> optional) {
            return inValue(optional.orElse(null), false, depth + 1);
        }
        if (!isOfUser(value.getClass())) {
            return null;
        }
        return inFields(
                value.getClass(),
                field -> inValue(ObjectFields.valueIfOpen(field, value), false, depth + 1));
    }

    private static List<Object> parts(int arity, IntFunction<Object> part) {
        List<Object> parts = new ArrayList<>();
        for (int i = 0; i < arity; i++) {
            parts.add(part.apply(i));
        }
        return parts;
    }

    private static String inElements(Collection<?> elements, boolean byContent, int depth) {
        int seen = 0;
        for (Object element : elements) {
            String found = inValue(element, byContent, depth + 1);
            if (found != null || ++seen == ELEMENTS) {
                return found;
            }
        }
        return null;
    }

    private static String ofItself(Class<?> type) {
        if (type.isArray()) {
            return anArray(type);
        }
        if (Enum.class.isAssignableFrom(type)) {
            return anEnum(type);
        }
        if (!isOpen(type) && declaresHashCode(type) == Object.class) {
            return "class "
                    + type.getSimpleName()
                    + " has no hashCode() of its own, so that each object has another hash code";
        }
        return null;
    }

    /** The values are of classes that are not known yet. */
    private static boolean isOpen(Class<?> type) {
        return type == Object.class
                || type.isInterface()
                || Modifier.isAbstract(type.getModifiers()) && !type.isArray();
    }

    private static boolean isOfUser(Class<?> type) {
        return type.getClassLoader() != null
                && !type.getName().startsWith("java")
                && !type.getName().startsWith("org.apache.flink.");
    }

    private static Class<?> declaresHashCode(Class<?> type) {
        try {
            return type.getMethod("hashCode").getDeclaringClass();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("no hashCode() in " + type, e);
        }
    }

    private static String inFields(Class<?> type, Function<Field, String> find) {
        Class<?> declaring = declaresHashCode(type);
        while (declaring != null && declaring != Object.class) {
            HashCodeBody body = HashCodeBody.of(declaring);
            for (Class<?> owner = declaring; owner != null; owner = owner.getSuperclass()) {
                for (Field field : owner.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && body.hashes(field.getName())) {
                        String found = find.apply(field);
                        if (found != null) {
                            return "field " + field.getName() + ": " + found;
                        }
                    }
                }
            }
            declaring = body.callsSuper() ? declaring.getSuperclass() : null;
            if (declaring != null) {
                declaring = declaresHashCode(declaring);
            }
        }
        return null;
    }

    private static String anEnum(Class<?> type) {
        Class<?> declaring = type.isAnonymousClass() ? type.getSuperclass() : type;
        return "enum "
                + declaring.getSimpleName()
                + " has another hash code in each JVM; use its name() instead";
    }

    private static String anArray(Class<?> type) {
        return "array "
                + type.getSimpleName()
                + " has a hash code of its own for each object; use a list or a string instead";
    }
}
