package dev.drrs.nexmark.query;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTest {

    @Test
    void textsAreEscaped() {
        assertThat(Json.of("q3").put("name", "A \"b\" \\ \n\u00e9").put("n", 1).end())
                .isEqualTo("{\"q\":\"q3\",\"name\":\"A \\\"b\\\" \\\\ \\u000a\u00e9\",\"n\":1}");
    }
}
