package dev.drrs.nexmark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlatJsonTest {

    @Test
    void numbersTextsEscapesAndOtherLiteralsAreRead() {
        FlatJson json =
                parse(
                        " { \"a\" : -12 , \"b\":\"x\\\"\\\\\\u00e4\\n\",\"c\":null,\"d\":true,\"e\":1.5,\"f\":\"\"} \n");
        assertThat(json.number("a")).isEqualTo(-12);
        assertThat(json.string("b")).isEqualTo("x\"\\ä\n");
        assertThat(json.has("c")).isFalse();
        assertThat(json.has("d")).isTrue();
        assertThat(json.string("f")).isEmpty();
        assertThat(parse("{}").has("a")).isFalse();
    }

    @Test
    void aFieldThatIsMissingOrOfAnotherKindIsToldWithTheText() {
        assertThatThrownBy(() -> parse("{\"a\":\"1\"}").number("a"))
                .hasMessageContaining("No integer \"a\" in: {\"a\"");
        assertThatThrownBy(() -> parse("{\"a\":1}").string("b"))
                .hasMessageContaining("No string \"b\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{\"a\":1}x",
                "{\"a\":[1]}",
                "{\"a\":\"\\q\"}",
                "{\"a\":\"",
                "[]"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static FlatJson parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return FlatJson.parse(bytes, bytes.length);
    }
}
