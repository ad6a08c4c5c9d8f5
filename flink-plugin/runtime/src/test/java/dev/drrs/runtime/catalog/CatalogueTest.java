package dev.drrs.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators that are not on the class path of a test are looked up by their names. */
class CatalogueTest {

    private static final String FLINK = "org.apache.flink.";

    private static Known row(String operator, Role role, String part) {
        Set<String> parts = part == null ? Set.of() : Set.of(FLINK + part);
        return Catalogue.of(FLINK + operator, role, parts, part == null ? null : FLINK + part);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "streaming.api.operators.python.process.ExternalPythonKeyedProcessOperator",
                "streaming.api.operators.python.embedded.EmbeddedPythonKeyedProcessOperator",
                "table.runtime.operators.python.aggregate.PythonStreamGroupAggregateOperator",
                "table.runtime.operators.python.aggregate.arrow.stream.StreamArrowPythonRowTimeBoundedRowsOperator",
                "datastream.impl.operators.KeyedProcessOperator",
                "runtime.asyncprocessing.operators.AsyncKeyedProcessOperator",
                "table.runtime.operators.join.KeyedCoProcessOperatorWithWatermarkDelay",
                "table.runtime.operators.window.tvf.common.WindowAggOperator",
                "table.runtime.operators.process.ProcessSetTableOperator",
                "table.runtime.operators.join.deltajoin.StreamingDeltaJoinOperator",
                "table.runtime.operators.bundle.KeyedMapBundleOperator",
                "streaming.api.operators.async.AsyncWaitOperator",
                "streaming.api.operators.ProcessOperator"
            })
    void isRefusedAsKeyedOperator(String operator) {
        assertThat(row(operator, Role.HEAD, null).isRefused()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "table.runtime.operators.python.scalar.PythonScalarFunctionOperator",
                "streaming.api.operators.python.process.ExternalPythonProcessOperator",
                "table.runtime.operators.bundle.MapBundleOperator",
                "table.runtime.operators.wmassigners.RowTimeMiniBatchAssginerOperator",
                "streaming.api.operators.collect.CollectSinkOperator"
            })
    void isRefusedBehindAKeyedOperator(String operator) {
        assertThat(row(operator, Role.BEHIND, null).isRefused()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "streaming.api.operators.KeyedProcessOperator, table.runtime.operators.aggregate.GroupAggFunction, false",
        "streaming.api.operators.KeyedProcessOperator, table.runtime.operators.rank.FastTop1Function, true",
        "streaming.api.operators.KeyedProcessOperator, table.runtime.operators.rank.UpdatableTopNFunction, true",
        "streaming.api.operators.KeyedProcessOperator, table.runtime.operators.rank.AppendOnlyTopNFunction, true",
        "streaming.api.operators.co.KeyedCoProcessOperator,"
                + " table.runtime.operators.join.interval.RowTimeIntervalJoin, true"
    })
    void theFunctionDecidesWhereTheOperatorIsTheSame(
            String operator, String function, boolean refused) {
        assertThat(row(operator, Role.HEAD, function).isRefused()).isEqualTo(refused);
    }

    /** A Flink release may bring others, which look the same from the outside. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "table.runtime.operators.rank.SomeNewFunction",
                "table.runtime.operators.aggregate.GroupTableAggFunction"
            })
    void aFunctionOfTheTableApiWithoutARowIsNotKnown(String function) {
        assertThat(row("streaming.api.operators.KeyedProcessOperator", Role.HEAD, function))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "streaming.api.operators.SomeNewOperator",
                "table.runtime.operators.window.groupwindow.operator.AggregateWindowOperator"
            })
    void anOperatorWithoutARowIsNotKnown(String operator) {
        assertThat(row(operator, Role.HEAD, null)).isNull();
    }
}
