package dev.drrs.runtime.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RescaleRequestTest {

    private final Faults faults = new Faults();

    @Test
    void everyFieldIsRead() {
        RescaleRequest request =
                RescaleRequest.parse(
                        """
                {"vertex":"count","parallelism":3,"strategy":"drrs","request_id":"r.1_a-B","cause":"load","dry_run":true,
                 "placement":[0,0,2],"subscales":[{"from":0,"to":2,"key_groups":[2]}],"options":{"a":"x","b":2,"c":true}}
                """,
                        faults);
        assertThat(faults.all()).isEmpty();
        assertThat(request.operators()).hasSize(1);
        RescaleRequest.Operator operator = request.operators().get(0);
        assertThat(operator.vertex()).isEqualTo("count");
        assertThat(operator.parallelism()).isEqualTo(3);
        assertThat(request.strategy()).isEqualTo("drrs");
        assertThat(request.requestId()).isEqualTo("r.1_a-B");
        assertThat(request.cause()).isEqualTo("load");
        assertThat(request.dryRun()).isTrue();
        assertThat(operator.hasPlan()).isTrue();
        assertThat(operator.placement()).containsExactly(0, 0, 2);
        assertThat(operator.subscales().get(0).keyGroups()).containsExactly(2);
        assertThat(request.options()).isEqualTo(Map.of("a", "x", "b", "2", "c", "true"));
    }

    @Test
    void whatIsNullOrLeftOutIsAbsent() {
        RescaleRequest request =
                RescaleRequest.parse(
                        "{\"vertex\":\"c\",\"parallelism\":0,\"placement\":null}", faults);
        assertThat(faults.all()).isEmpty();
        assertThat(request.operators().get(0).hasPlan()).isFalse();
        assertThat(request.operators().get(0).isToBePlanned()).isTrue();
        assertThat(request.dryRun()).isFalse();
        assertThat(request.strategy()).isNull();
        assertThat(request.options()).isEmpty();
    }

    @Test
    void theParallelismHasToBeThereAndTheOperatorMayBeLeftOut() {
        RescaleRequest request = RescaleRequest.parse("{}", faults);
        assertThat(faults.all())
                .extracting(Faults.Fault::message)
                .singleElement()
                .asString()
                .startsWith("\"parallelism\" is missing");
        assertThat(request.operators().get(0).vertex()).isNull();
        assertThat(request.operators().get(0).parallelism()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "\" \"", "[]"})
    void anOperatorThatIsNamedWronglyIsNotOneThatIsLeftOut(String vertex) {
        RescaleRequest request =
                RescaleRequest.parse("{\"parallelism\":2,\"vertex\":" + vertex + "}", faults);
        assertThat(faults.all()).hasSize(1);
        assertThat(request.operators().get(0).vertex()).isEmpty();
    }

    @Test
    void severalOperatorsAreReadInOrder() {
        RescaleRequest request =
                RescaleRequest.parse(
                        """
                {"operators":[{"vertex":"a","parallelism":3,"placement":[0],"subscales":[]},{"vertex":"b","parallelism":2}]}
                """,
                        faults);
        assertThat(faults.all()).isEmpty();
        assertThat(request.operators())
                .extracting(RescaleRequest.Operator::vertex)
                .containsExactly("a", "b");
        assertThat(request.operators())
                .extracting(RescaleRequest.Operator::hasPlan)
                .containsExactly(true, false);
    }

    @Test
    void faultsOfSeveralOperatorsComeTogetherAndSayWhere() {
        RescaleRequest.parse(
                """
                {"operators":[{"vertex":"a","parallelism":"3","p":1},{"parallelism":2,"placement":7},8],"vertex":"c"}
                """,
                faults);
        assertThat(faults.all())
                .extracting(Faults.Fault::message)
                .satisfiesExactlyInAnyOrder(
                        m -> assertThat(m).startsWith("\"operators\"[0].\"parallelism\" must"),
                        m -> assertThat(m).startsWith("\"operators\"[0]: Unknown field \"p\""),
                        m -> assertThat(m).startsWith("\"operators\"[1].\"placement\" must"),
                        m -> assertThat(m).startsWith("\"operators\"[2] must be an object"),
                        m -> assertThat(m).startsWith("\"vertex\" stands beside"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{}", "7"})
    void aListOfOperatorsThatIsNoneIsOneFault(String operators) {
        RescaleRequest request = RescaleRequest.parse("{\"operators\":" + operators + "}", faults);
        assertThat(faults.all()).hasSize(1);
        assertThat(request.operators()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"vertex\":[]",
                "\"vertex\":\" \"",
                "\"parallelism\":2.5",
                "\"parallelism\":99999999999",
                "\"parallelism\":true",
                "\"strategy\":1",
                "\"request_id\":\"a/b\"",
                "\"request_id\":\"\"",
                "\"dry_run\":\"yes\"",
                "\"placement\":{}",
                "\"placement\":[\"a\",\"b\"]",
                "\"subscales\":3",
                "\"subscales\":[3]",
                "\"subscales\":[{\"from\":0,\"to\":1}]",
                "\"subscales\":[{\"from\":0,\"to\":1,\"key_groups\":[1],\"order\":2}]",
                "\"options\":[]",
                "\"options\":{\"a\":{}}",
                "\"paralelism\":2"
            })
    void aFieldOfTheWrongFormIsOneFault(String field) {
        String rest = field.startsWith("\"vertex\"") ? "" : ",\"vertex\":\"v\"";
        rest += field.startsWith("\"parallelism\"") ? "" : ",\"parallelism\":2";
        RescaleRequest.parse("{" + field + rest + "}", faults);
        assertThat(faults.all()).hasSize(1);
        assertThat(faults.has(FaultCode.MALFORMED_REQUEST)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "7", "\"text\"", "null"})
    void whatIsNoObjectIsMalformed(String json) {
        assertThat(RescaleRequest.parse(json, faults)).isNull();
        assertThat(faults.has(FaultCode.MALFORMED_REQUEST)).isTrue();
    }

    @Test
    void nestingWithoutEndIsAFaultAndNoStackOverflow() {
        assertThat(RescaleRequest.parse("[".repeat(100_000), faults)).isNull();
        assertThat(faults.has(FaultCode.MALFORMED_JSON)).isTrue();
    }

    @Test
    void aLongCauseIsRefused() {
        String json = "{\"vertex\":\"v\",\"parallelism\":2,\"cause\":\"" + "x".repeat(1001) + "\"}";
        RescaleRequest.parse(json, faults);
        assertThat(faults.all())
                .extracting(Faults.Fault::message)
                .singleElement()
                .asString()
                .contains("1001");
    }

    @Test
    void differentStatusesOfSeveralFaultsBecomeOne() {
        assertThat(Faults.answer(FaultCode.UNKNOWN_VERTEX, "m").httpStatus()).isEqualTo(404);
        assertThat(
                        List.of(
                                status(FaultCode.UNKNOWN_VERTEX, FaultCode.UNKNOWN_RESCALE),
                                status(FaultCode.UNKNOWN_VERTEX, FaultCode.NOT_ENOUGH_SLOTS),
                                status(FaultCode.UNKNOWN_VERTEX, FaultCode.INTERNAL)))
                .containsExactly(404, 400, 500);
    }

    private static int status(FaultCode first, FaultCode second) {
        return new Faults().add(first, "a").add(second, "b").toAnswer().httpStatus();
    }
}
