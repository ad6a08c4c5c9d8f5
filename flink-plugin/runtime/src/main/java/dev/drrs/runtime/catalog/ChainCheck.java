package dev.drrs.runtime.catalog;

import static dev.drrs.runtime.catalog.Role.BEHIND;
import static dev.drrs.runtime.catalog.Role.HEAD;

import dev.drrs.flink.SubmittedFields;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.functions.FunctionListeners;
import dev.drrs.runtime.functions.UserCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Lets operators into elastic tasks that are known to be right there, or that the job vouches for:
 * what is not known may hold records, keyed state or event time where a rescale does not look.
 *
 * <p>At submission from what the job graph has, in any thread; and again on the operators
 * themselves when they run, in the mailbox thread, as a factory may make something else than it
 * says.
 */
public final class ChainCheck {

    private static final String RAW_STATE_METHOD = "isUsingCustomRawKeyedState";
    private static final String VOUCH =
            "vouch for it (" + DrrsOptions.TRUSTED.key() + ") if it keeps none of that";

    private final Trusted trusted;
    private final ClassLoader loader;

    /** What of an operator there is to judge by. */
    private record Looked(
            String name,
            Role role,
            Class<?> factory,
            Class<?> operator,
            Set<String> parts,
            Function function,
            List<Object> userCode) {

        String functionName() {
            return function == null ? null : function.getClass().getName();
        }

        /** The user's functions, and one of Flink that the operator has. */
        List<Object> functions() {
            List<Object> all = new ArrayList<>(userCode);
            if (function != null && SubmittedFields.isFlinks(function.getClass())) {
                all.add(function);
            }
            return all;
        }
    }

    public ChainCheck(ReadableConfig configuration, ClassLoader loader) {
        this.trusted = new Trusted(configuration.get(DrrsOptions.TRUSTED));
        this.loader = loader;
    }

    /** Of a keyed operator, at submission. */
    public List<OperatorFault> ofKeyed(StreamConfig head) {
        return of(head, HEAD);
    }

    /** Of all that is chained behind an operator, in the order of the chain, at submission. */
    public List<OperatorFault> ofChained(StreamConfig head) {
        List<OperatorFault> faults = new ArrayList<>();
        head.getTransitiveChainedTaskConfigs(loader).values().stream()
                .sorted(Comparator.comparing(StreamConfig::getChainIndex))
                .forEach(operator -> faults.addAll(of(operator, BEHIND)));
        return faults;
    }

    /** Of a task that follows a keyed one: all its operators, at submission. */
    public List<OperatorFault> ofFollower(StreamConfig head) {
        List<OperatorFault> faults = new ArrayList<>(of(head, BEHIND));
        faults.addAll(ofChained(head));
        return faults;
    }

    /**
     * Of the operators of a task that runs.
     *
     * @param keyed whether the first one, the head, is the keyed one
     * @return a sentence, or empty
     */
    public Optional<String> ofRunning(
            StreamOperator<?> head, Iterable<? extends StreamOperator<?>> chain, boolean keyed) {
        for (StreamOperator<?> operator : chain) {
            StreamConfig config = configOf(operator);
            if (config == null) {
                continue; // StateSupport refuses it
            }
            Class<?> factory = config.getStreamOperatorFactoryClass(loader);
            Looked looked =
                    new Looked(
                            config.getOperatorName(),
                            keyed && operator == head ? HEAD : BEHIND,
                            factory,
                            operator.getClass(),
                            partsOf(operator),
                            UserCode.functionOf(operator),
                            UserCode.in(operator));
            for (OperatorFault fault : of(looked)) {
                return Optional.of(
                        "its operator "
                                + fault.name()
                                + " "
                                + fault.what()
                                + (fault.remedy() == null ? "" : "; " + fault.remedy())
                                + ".");
            }
        }
        return Optional.empty();
    }

    private static StreamConfig configOf(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator<?> v1
                ? v1.getOperatorConfig()
                : operator instanceof AbstractStreamOperatorV2<?> v2
                        ? v2.getOperatorConfig()
                        : null;
    }

    private List<OperatorFault> of(StreamConfig config, Role role) {
        String name = config.getOperatorName();
        try {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(loader);
            Class<?> made =
                    Catalogue.ofFactory(factory.getClass().getName(), role) == null
                            ? factory.getStreamOperatorClass(loader)
                            : null; // generated code would be compiled for nothing
            Object operator =
                    factory instanceof SimpleOperatorFactory<?> simple
                            ? simple.getOperator()
                            : null;
            return of(
                    new Looked(
                            name,
                            role,
                            factory.getClass(),
                            made,
                            partsOf(operator),
                            UserCode.functionOf(operator),
                            UserCode.in(factory)));
        } catch (RuntimeException | LinkageError e) {
            return List.of(
                    new OperatorFault(
                            name, "cannot be looked into at the JobManager (" + e + ")", null));
        }
    }

    private List<OperatorFault> of(Looked looked) {
        List<OperatorFault> faults = new ArrayList<>();
        ofOperator(looked).ifPresent(faults::add);
        for (Object function : faults.isEmpty() ? looked.functions() : looked.userCode) {
            if (UserCode.isCheckpointed(function)
                    && !FunctionListeners.isListener(function.getClass())
                    && !trusted.has(function.getClass())) {
                faults.add(
                        new OperatorFault(
                                looked.name,
                                "has the function "
                                        + function.getClass().getName()
                                        + ", which takes part in checkpoints (CheckpointedFunction) and may"
                                        + " hold records of keys that move",
                                "let it implement dev.drrs.api.KeyGroupListener, or " + VOUCH));
            }
        }
        return faults;
    }

    private Optional<OperatorFault> ofOperator(Looked looked) {
        Known byFactory = Catalogue.ofFactory(looked.factory.getName(), looked.role);
        if (byFactory != null) {
            return refusal(looked, byFactory, looked.factory);
        }
        if (keepsRawKeyedState(looked.operator)) {
            return fault(
                    looked,
                    "is of class "
                            + looked.operator.getName()
                            + ", which keeps raw keyed state that cannot be moved key group by key group",
                    "let it use keyed state");
        }
        Known row =
                Catalogue.of(
                        looked.operator.getName(),
                        looked.role,
                        looked.parts,
                        looked.functionName());
        if (row != null && row.isRefused()) {
            return refusal(looked, row, looked.operator);
        }
        if (trusted.has(looked.operator)
                || trusted.has(looked.factory)
                || looked.function != null && trusted.has(looked.function.getClass())) {
            return Optional.empty();
        }
        if (row == null) {
            return unknown(looked, looked.operator);
        }
        return Catalogue.tellsTheOperator(looked.factory.getName())
                ? Optional.empty()
                : unknown(looked, looked.factory);
    }

    private static Optional<OperatorFault> refusal(Looked looked, Known row, Class<?> type) {
        if (!row.isRefused()) {
            return Optional.empty();
        }
        String part =
                row.parts().stream()
                        .filter(looked.parts::contains)
                        .findFirst()
                        .map(name -> " with " + Known.simple(name))
                        .orElse("");
        String name = Known.simple(type.getName());
        return fault(
                looked,
                (startsWithAVowel(name) ? "is an " : "is a ")
                        + name
                        + part
                        + ", which "
                        + row.fault(),
                row.remedy());
    }

    private static boolean startsWithAVowel(String name) {
        return "AEIOU".indexOf(name.charAt(0)) >= 0;
    }

    private static Optional<OperatorFault> unknown(Looked looked, Class<?> type) {
        boolean function =
                looked.function != null
                        && SubmittedFields.isFlinks(looked.function.getClass())
                        && type == looked.operator;
        return fault(
                looked,
                "is of class "
                        + type.getName()
                        + (function ? " with " + looked.functionName() : "")
                        + ", of which it is not known whether it holds records, state or event time where a"
                        + " rescale does not look",
                VOUCH);
    }

    private static Optional<OperatorFault> fault(Looked looked, String what, String remedy) {
        return Optional.of(new OperatorFault(looked.name, what, remedy));
    }

    /** An operator that does has to say so in this method, or Flink would not restore it. */
    private static boolean keepsRawKeyedState(Class<?> operator) {
        for (Class<?> type = operator;
                type != null && !SubmittedFields.isFlinks(type);
                type = type.getSuperclass()) {
            try {
                type.getDeclaredMethod(RAW_STATE_METHOD);
                return true;
            } catch (NoSuchMethodException e) {
                continue;
            }
        }
        return false;
    }

    /** Classes of what the fields of one of Flink's operators have. */
    private static Set<String> partsOf(Object operator) {
        return operator == null
                ? Set.of()
                : SubmittedFields.of(operator).stream()
                        .map(value -> value.getClass().getName())
                        .collect(Collectors.toSet());
    }
}
