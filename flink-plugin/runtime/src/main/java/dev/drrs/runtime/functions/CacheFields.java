package dev.drrs.runtime.functions;

import dev.drrs.flink.ObjectFields;
import dev.drrs.flink.SubmittedFields;
import dev.drrs.runtime.DrrsOptions;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;

/**
 * Fields of a user's function that look as if they keep what is in keyed state as well: right on
 * stock Flink, out of date under a live rescale once a key has left and come back. A guess, made
 * from types and from what the submitted instance has in them; good for a warning only.
 *
 * <p>What the job has put into a collection or array before it was submitted is a setting and no
 * cache. Calls no code of the user's. Any thread.
 */
public final class CacheFields {

    /** Buffers of bytes and characters are for one call. */
    private static final Set<Class<?>> SCRATCH = Set.of(byte[].class, char[].class);

    private static final Set<String> FIXED =
            Set.of(
                    "java.util.ImmutableCollections",
                    "java.util.Collections$Unmodifiable",
                    "java.util.Collections$Empty",
                    "java.util.Collections$Singleton",
                    "com.google.common.collect.Immutable");

    private CacheFields() {}

    /**
     * A sentence about each class that has such fields.
     *
     * @param function of the user's, as it was submitted
     * @param reopened whether it is opened anew when key groups come back: then only what is static
     *     stays
     */
    public static List<String> warnings(Object function, boolean reopened) {
        List<String> sentences = new ArrayList<>();
        if (FunctionListeners.isListener(function.getClass())) {
            return sentences;
        }
        for (Class<?> type = function.getClass();
                type != null && !SubmittedFields.isFlinks(type) && !isJdks(type);
                type = type.getSuperclass()) {
            List<String> own = new ArrayList<>();
            List<String> shared = new ArrayList<>();
            for (Field field : ObjectFields.declaredBy(type)) {
                boolean isShared = Modifier.isStatic(field.getModifiers());
                if (looksLikeACache(field, function)) {
                    (isShared ? shared : own).add(field.getName());
                }
            }
            if (!own.isEmpty() && !(reopened && function instanceof Function)) {
                sentences.add(
                        named("Field", own, type)
                                + " what keyed state has as well, and be out of date for keys that leave a subtask and come"
                                + " back: implement "
                                + FunctionListeners.INTERFACE
                                + ", or set "
                                + DrrsOptions.REOPEN.key()
                                + ".");
            }
            if (!shared.isEmpty()) {
                sentences.add(
                        named("Static field", shared, type)
                                + " what keyed state has as well, and be out of date for keys that go to another"
                                + " TaskManager and come back, which no opening anew can help: implement "
                                + FunctionListeners.INTERFACE
                                + ".");
            }
        }
        return sentences;
    }

    private static String named(String what, List<String> fields, Class<?> type) {
        return what
                + (fields.size() == 1 ? " " : "s ")
                + String.join(", ", fields)
                + " of "
                + type.getName()
                + " may keep";
    }

    private static boolean looksLikeACache(Field field, Object function) {
        Class<?> type = field.getType();
        if (SCRATCH.contains(type) || !mayCache(type) || isOfStates(field.getGenericType())) {
            return false;
        }
        boolean submitted =
                !Modifier.isTransient(field.getModifiers())
                        || Modifier.isStatic(field.getModifiers());
        return !submitted || !isSetting(field, function);
    }

    private static boolean mayCache(Class<?> type) {
        if (type.isArray()) {
            return !State.class.isAssignableFrom(type.getComponentType());
        }
        return Map.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || isNamedCache(type);
    }

    /** Caches of Guava, Caffeine, JCache, ehcache, and whatever else is called so. */
    private static boolean isNamedCache(Class<?> type) {
        return SuperTypes.of(type).stream().anyMatch(one -> one.getSimpleName().endsWith("Cache"));
    }

    /** As {@code Map<String, ValueState<Long>>}: what is in them moves. */
    private static boolean isOfStates(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            for (Type argument : parameterized.getActualTypeArguments()) {
                if (isOfStates(argument)) {
                    return true;
                }
            }
            return isOfStates(parameterized.getRawType());
        }
        return type instanceof Class<?> plain
                && (State.class.isAssignableFrom(plain)
                        || StateDescriptor.class.isAssignableFrom(plain));
    }

    private static boolean isSetting(Field field, Object function) {
        Object value;
        try {
            value = ObjectFields.value(field, function);
        } catch (RuntimeException | LinkageError e) {
            return false; // unknown, so what the type says counts
        }
        if (value == null) {
            return false;
        }
        if (value.getClass().isArray()) {
            return hasContent(value)
                    || Array.getLength(value) == 0 && Modifier.isFinal(field.getModifiers());
        }
        String name = value.getClass().getName();
        return FIXED.stream().anyMatch(name::startsWith)
                || isJdks(value.getClass())
                        && (value instanceof Map<?, ?> map && !map.isEmpty()
                                || value instanceof Collection<?> many && !many.isEmpty());
    }

    private static boolean hasContent(Object array) {
        for (int i = 0; i < Array.getLength(array); i++) {
            Object one = Array.get(array, i);
            if (one != null
                    && !(one instanceof Number number && number.doubleValue() == 0)
                    && !Boolean.FALSE.equals(one)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isJdks(Class<?> type) {
        return type.getName().startsWith("java.");
    }
}
