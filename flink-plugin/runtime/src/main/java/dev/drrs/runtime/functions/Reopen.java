package dev.drrs.runtime.functions;

import dev.drrs.runtime.DrrsOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.flink.streaming.api.operators.StreamOperator;

/** What {@code drrs.functions.reopen} means for an operator. Any thread. */
public final class Reopen {

    public static final String NEVER = "never";
    public static final String ON_RETURN = "on-return";

    private Reopen() {}

    /**
     * Whether the option has functions of an operator opened anew.
     *
     * @param value of the option
     * @param names of the operator: uid or name, null ones do not count
     */
    public static boolean covers(String value, String... names) {
        return switch (value.trim()) {
            case NEVER -> false;
            case ON_RETURN -> true;
            default -> {
                List<String> wanted = Arrays.stream(value.split(";")).map(String::trim).toList();
                yield Arrays.stream(names).filter(Objects::nonNull).anyMatch(wanted::contains);
            }
        };
    }

    /**
     * Why the functions of an operator that the option covers cannot be opened anew, to be read
     * after what names the operator; null if they can, or if there is none that has to be.
     *
     * @param operator its class
     * @param userCode what {@link UserCode} found in it
     */
    public static String fault(Class<?> operator, List<Object> userCode) {
        for (Object function : userCode) {
            if (FunctionListeners.isListener(function.getClass())) {
                continue;
            }
            String name = function.getClass().getName();
            if (UserCode.isCheckpointed(function)) {
                return DrrsOptions.REOPEN.key()
                        + " would lose what its function "
                        + name
                        + " holds between checkpoints; let it implement "
                        + FunctionListeners.INTERFACE
                        + ", or leave the operator out of the option";
            }
            if (!FunctionReopening.canReplaceIn(operator)) {
                return DrrsOptions.REOPEN.key()
                        + " cannot open the function "
                        + name
                        + " of a "
                        + operator.getSimpleName()
                        + " anew; let it implement "
                        + FunctionListeners.INTERFACE
                        + ", or leave the operator out of the option";
            }
        }
        return null;
    }

    /** Whether there is a function of the user's in the operator that does not listen itself. */
    static boolean wants(StreamOperator<?> operator) {
        return FunctionReopening.canReplaceIn(operator.getClass())
                && UserCode.in(operator).stream()
                        .anyMatch(function -> !FunctionListeners.isListener(function.getClass()));
    }
}
