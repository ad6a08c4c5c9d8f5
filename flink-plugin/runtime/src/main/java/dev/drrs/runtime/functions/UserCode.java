package dev.drrs.runtime.functions;

import dev.drrs.flink.SubmittedFields;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.UserFunctionProvider;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.evictors.Evictor;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;

/**
 * Finds what the user wrote inside of what Flink has built around it: a process function in the
 * wrapper of a window operator, the conditions of a pattern, the aggregate of a state descriptor.
 *
 * <p>Reads fields, calls nothing of the user's. Any thread, on objects that no other changes.
 */
public final class UserCode {

    /** Code as text, and what it refers to; nothing that Flink calls as a function. */
    private static final String GENERATED = "org.apache.flink.table.runtime.generated.";

    private static final int MOST_OBJECTS = 20_000;

    private final Set<Object> met = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> open = new ArrayDeque<>();
    private final List<Object> found = new ArrayList<>();

    /** In a task wrappers also have what belongs to the task. */
    private final boolean throughFunctionsOnly;

    private UserCode(boolean throughFunctionsOnly) {
        this.throughFunctionsOnly = throughFunctionsOnly;
    }

    /** Whether a function takes part in checkpoints, and so may hold something between them. */
    @SuppressWarnings("deprecation") // Flink still calls it
    public static boolean isCheckpointed(Object function) {
        return function instanceof CheckpointedFunction || function instanceof ListCheckpointed;
    }

    /** In what a job graph has of an operator. */
    public static List<Object> in(StreamOperatorFactory<?> factory) {
        return new UserCode(false).walk(factory);
    }

    /** In the function of a running operator: the function itself if it is the user's. */
    static List<Object> in(Function function) {
        return new UserCode(true).walk(function);
    }

    /** In a running operator: what its function has. Empty for one without a function. */
    public static List<Object> in(StreamOperator<?> operator) {
        Function function = functionOf(operator);
        return function == null ? List.of() : in(function);
    }

    /** The function that an operator has, Flink's own or the user's; null if it has none. */
    public static Function functionOf(Object operator) {
        return operator instanceof UserFunctionProvider<?> provider
                ? provider.getUserFunction()
                : null;
    }

    private List<Object> walk(Object start) {
        meet(start);
        while (!open.isEmpty() && met.size() < MOST_OBJECTS) {
            SubmittedFields.of(open.poll()).forEach(this::meet);
        }
        return found;
    }

    private void meet(Object value) {
        if (leadsNowhere(value) || !met.add(value)) {
            return;
        }
        if (value instanceof Collection<?> many && isJdk(value)) {
            many.stream().filter(Objects::nonNull).forEach(this::meet);
        } else if (value instanceof Map<?, ?> many && isJdk(value)) {
            many.values().stream().filter(Objects::nonNull).forEach(this::meet);
        } else if (value instanceof Object[] many) {
            Arrays.stream(many).filter(Objects::nonNull).forEach(this::meet);
        } else if (SubmittedFields.isFlinks(value.getClass())) {
            if (!throughFunctionsOnly || value instanceof Function) {
                open.add(value);
            }
        } else if (value instanceof Function
                || value instanceof Trigger
                || value instanceof Evictor
                || value instanceof WindowAssigner) {
            found.add(value);
        }
    }

    private static boolean leadsNowhere(Object value) {
        return value instanceof KeySelector
                || value instanceof TypeSerializer
                || value instanceof TypeInformation
                || value instanceof ReadableConfig
                || value instanceof RuntimeContext
                || value.getClass().getName().startsWith(GENERATED);
    }

    private static boolean isJdk(Object value) {
        return value.getClass().getName().startsWith("java.");
    }
}
