package dev.drrs.runtime.catalog;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What is known about operators of Flink: looks rows up. Any thread. */
final class Catalogue {

    /** Those of the Table API hold things the DataStream operator around them knows nothing of. */
    private static final String TABLE_FUNCTIONS = "org.apache.flink.table.";

    /**
     * Factories of Flink that say truly which class of operators they make. Others of Flink have
     * rows of their own or are not known.
     */
    private static final Set<String> FACTORIES =
            Set.of(
                    "org.apache.flink.streaming.api.operators.SimpleOperatorFactory",
                    "org.apache.flink.streaming.api.operators.SimpleUdfStreamOperatorFactory",
                    "org.apache.flink.streaming.api.operators.SimpleOutputFormatOperatorFactory",
                    "org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory",
                    "org.apache.flink.streaming.api.operators.collect.CollectSinkOperatorFactory",
                    "org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory",
                    "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperatorFactory",
                    "org.apache.flink.streaming.runtime.operators.windowing.EvictingWindowOperatorFactory",
                    "org.apache.flink.streaming.runtime.operators.windowing.WindowOperatorFactory",
                    "org.apache.flink.table.runtime.operators.StreamingDeltaJoinOperatorFactory",
                    "org.apache.flink.table.runtime.operators.TableKeyedAsyncWaitOperatorFactory",
                    "org.apache.flink.table.runtime.operators.join.stream.StreamingMultiJoinOperatorFactory");

    private Catalogue() {}

    /** All rows, as the page has them. */
    static Stream<Known> rows() {
        return Stream.concat(DataStreamOperators.ROWS.stream(), SqlOperators.ROWS.stream());
    }

    /** Whether the factory is to be believed when it names the class of its operators. */
    static boolean tellsTheOperator(String factory) {
        return FACTORIES.contains(factory);
    }

    /** The row of an operator that is known by its factory, or null. */
    static Known ofFactory(String factory, Role role) {
        return rows().filter(row -> row.isAbout(factory, role)).findFirst().orElse(null);
    }

    /**
     * The row of an operator.
     *
     * @param parts names of the classes of what its fields have
     * @param function name of the class of its function, null if it has none
     * @return null if nothing is known
     */
    static Known of(String operator, Role role, Set<String> parts, String function) {
        List<Known> all = rows().filter(row -> row.isAbout(operator, role)).toList();
        return all.stream()
                .filter(row -> row.parts().stream().anyMatch(parts::contains))
                .findFirst()
                .or(
                        () ->
                                all.stream()
                                        .filter(row -> row.parts().isEmpty())
                                        .filter(
                                                row ->
                                                        row.isRefused()
                                                                || !needsARowOfItsOwn(function))
                                        .findFirst())
                .orElse(null);
    }

    private static boolean needsARowOfItsOwn(String function) {
        return function != null && function.startsWith(TABLE_FUNCTIONS);
    }
}
