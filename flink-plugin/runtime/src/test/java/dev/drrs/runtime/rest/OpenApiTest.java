package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.answer.Answer;
import dev.drrs.runtime.answer.Errors;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.request.OperatorFields;
import dev.drrs.runtime.request.RescaleFields;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.YamlParserUtils;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code docs/openapi.yaml} says what the handlers take and what the answers are. */
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PAGE = Path.of("..", "..", "docs", "openapi.yaml");
    private static final Path ANSWERS = Path.of("src", "test", "resources", "answers");

    private static JsonNode page;

    @BeforeAll
    static void read() throws Exception {
        page = JSON.valueToTree(YamlParserUtils.loadYamlFile(PAGE.toFile()));
    }

    private static JsonNode schema(String name) {
        return page.path("components").path("schemas").path(name);
    }

    @Test
    void itHasEachEndpointWithTheParametersOfItsPath() {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers = new ArrayList<>();
        FakeCluster cluster = new FakeCluster();
        DrrsHandlers.add(
                handlers,
                cluster.dispatcher(),
                cluster.resourceManager(),
                new FakeMetrics(),
                Map.of(),
                new Configuration());
        Map<String, String> expected = new TreeMap<>();
        for (Tuple2<RestHandlerSpecification, ChannelInboundHandler> handler : handlers) {
            String path = handler.f0.getTargetRestEndpointURL().replaceAll(":(\\w+)", "{$1}");
            expected.put(
                    path + " " + handler.f0.getHttpMethod().name().toLowerCase(),
                    path.replaceAll("[^{]*\\{(\\w+)}[^{]*", "$1 ").replaceAll("/.*", "").trim());
        }
        Map<String, String> described = new TreeMap<>();
        page.path("paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .properties()
                                        .forEach(
                                                method ->
                                                        described.put(
                                                                path.getKey()
                                                                        + " "
                                                                        + method.getKey(),
                                                                parameters(method.getValue()))));
        assertThat(described).isEqualTo(expected).hasSize(8);
    }

    private static String parameters(JsonNode method) {
        List<String> names = new ArrayList<>();
        for (JsonNode parameter : method.path("parameters")) {
            JsonNode target = page.at(parameter.path("$ref").asText().substring(1));
            names.add(target.path("name").asText());
        }
        return String.join(" ", names);
    }

    @Test
    void whatItRefersToIsThereAndNothingElse() {
        Set<String> used = new HashSet<>();
        page.findValuesAsText("$ref").forEach(used::add);
        Set<String> defined = new HashSet<>();
        page.path("components")
                .properties()
                .forEach(
                        kind ->
                                kind.getValue()
                                        .fieldNames()
                                        .forEachRemaining(
                                                name ->
                                                        defined.add(
                                                                "#/components/"
                                                                        + kind.getKey()
                                                                        + "/"
                                                                        + name)));
        assertThat(used).isEqualTo(defined);
    }

    @Test
    void aRequestHasTheFieldsThatAreRead() {
        Set<String> whole = new TreeSet<>(RescaleFields.KNOWN);
        whole.addAll(OperatorFields.KNOWN);
        assertThat(fields(schema("RescaleRequest"))).isEqualTo(whole);
        assertThat(fields(schema("OperatorRequest"))).isEqualTo(OperatorFields.KNOWN);
        assertThat(fields(schema("Subscale"))).isEqualTo(OperatorFields.KNOWN_IN_SUBSCALE);
        assertThat(fields(schema("DrainRequest"))).containsExactly(DrainHandler.FIELD);
    }

    private static Set<String> fields(JsonNode schema) {
        Set<String> fields = new TreeSet<>();
        schema.path("properties").fieldNames().forEachRemaining(fields::add);
        return fields;
    }

    @Test
    void itHasEachCodeOfAFault() {
        List<String> codes = new ArrayList<>();
        schema("ErrorsEntry").at("/properties/code/enum").forEach(code -> codes.add(code.asText()));
        assertThat(codes).isEqualTo(Stream.of(FaultCode.values()).map(Enum::name).toList());
    }

    static Stream<Class<?>> answers() {
        return Stream.of(Answer.class.getPermittedSubclasses())
                .flatMap(
                        answer ->
                                Stream.concat(
                                        Stream.of(answer), Stream.of(answer.getDeclaredClasses())));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void aSchemaHasTheFieldsOfItsRecordInTheirOrderWithTheirTypes(Class<?> record) {
        Map<String, String> expected = new LinkedHashMap<>();
        for (RecordComponent component : record.getRecordComponents()) {
            expected.put(
                    new SnakeCaseStrategy().translate(component.getName()),
                    type(component.getGenericType()));
        }
        Map<String, String> described = new LinkedHashMap<>();
        schema(name(record))
                .path("properties")
                .properties()
                .forEach(field -> described.put(field.getKey(), type(field.getValue())));
        assertThat(described).as(name(record)).containsExactlyEntriesOf(expected);
    }

    private static String name(Class<?> record) {
        Class<?> outer = record.getEnclosingClass();
        return (outer == null ? "" : outer.getSimpleName()) + record.getSimpleName();
    }

    private static String type(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            return of.length == 1 ? "list of " + type(of[0]) : "map of " + type(of[1]);
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isArray()) {
            return "list of " + type(plain.getComponentType());
        }
        return switch (plain.getSimpleName()) {
            case "String" -> "string";
            case "boolean", "Boolean" -> "boolean";
            case "int", "Integer", "long", "Long" -> "integer";
            case "double" -> "number";
            default -> name(plain);
        };
    }

    /** Whether it may be null as well is another matter. */
    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            return schema.path("$ref").asText().replaceAll(".*/", "");
        }
        JsonNode type = schema.path("type");
        return switch (type.isArray() ? type.path(0).asText() : type.asText()) {
            case "array" -> "list of " + type(schema.path("items"));
            case "object" -> "map of " + type(schema.path("additionalProperties"));
            default -> type.isArray() ? type.path(0).asText() : type.asText();
        };
    }

    @ParameterizedTest
    @CsvSource({
        "overview, Overview",
        "drain, DrainState",
        "vertices, JobVertices",
        "accepted, Accepted",
        "valid, Valid",
        "rescale, RescaleStatus",
        "rescales, RescaleHistory",
        "errors, Errors"
    })
    void whatIsNullInAnAnswerMayBeNull(String file, String schema) throws IOException {
        List<String> faults = new ArrayList<>();
        checkNulls(
                JSON.readTree(ANSWERS.resolve(file + ".json").toFile()),
                schema(schema),
                file,
                faults);
        assertThat(faults).isEmpty();
    }

    private static void checkNulls(
            JsonNode value, JsonNode reference, String where, List<String> faults) {
        JsonNode schema =
                reference.has("$ref")
                        ? page.at(reference.path("$ref").asText().substring(1))
                        : reference;
        if (value.isNull() && !schema.path("type").toString().contains("null")) {
            faults.add(where + " is null");
        }
        value.properties()
                .forEach(
                        field ->
                                checkNulls(
                                        field.getValue(),
                                        schema.path("properties").path(field.getKey()),
                                        where + "." + field.getKey(),
                                        faults));
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            checkNulls(value.get(i), schema.path("items"), where + "[" + i + "]", faults);
        }
    }

    /** Errors is the one answer that each endpoint has. */
    @Test
    void eachEndpointSaysWhatItAnswersWhenSomethingIsWrong() {
        for (JsonNode path : page.path("paths")) {
            for (JsonNode method : path) {
                assertThat(method.at("/responses/default/$ref").asText())
                        .isEqualTo("#/components/responses/Faults");
            }
        }
        assertThat(page.at("/components/responses/Faults/content/application~1json/schema/$ref"))
                .hasToString("\"#/components/schemas/" + name(Errors.class) + "\"");
    }
}
