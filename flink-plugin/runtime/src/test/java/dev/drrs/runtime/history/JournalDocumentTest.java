package dev.drrs.runtime.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.GoldenFile;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class JournalDocumentTest {

    private static final JournalDocument DOCUMENT =
            new JournalDocument(
                    JournalDocument.VERSION,
                    List.of(
                            TestFacts.ofSeveral(),
                            TestFacts.migrating().continuedBy(List.of("r1-after-failover-1"))),
                    List.of(
                            new JournalDocument.Target(
                                    "a".repeat(32),
                                    "r1",
                                    "drrs",
                                    Map.of("drrs.strategy.subscale-concurrency", "7"),
                                    true,
                                    1,
                                    0,
                                    "it was given up",
                                    List.of(new int[] {0, 2}, new int[] {0, 1}))));

    @Test
    void theNextJobManagerReadsAllThatWasWritten() throws Exception {
        JournalDocument read = JournalDocument.read(text(DOCUMENT.toJson().toString()));
        assertThat(read.rescales()).isEqualTo(DOCUMENT.rescales());
        assertThat(read.recoveries()).usingRecursiveComparison().isEqualTo(DOCUMENT.recoveries());
    }

    /** A change of this file without a new version would be read wrongly by the next JobManager. */
    @Test
    void theFormatOfThisVersionStaysAsItIs() throws Exception {
        GoldenFile.assertSame(
                "journal-" + JournalDocument.VERSION + ".json", DOCUMENT.toJson().toString());
    }

    @Test
    void aDocumentOfAnotherVersionIsPassedOver() throws Exception {
        ObjectNode other = (ObjectNode) DOCUMENT.toJson();
        assertThat(JournalDocument.read(other.put("version", 1))).isNull();
        assertThat(JournalDocument.read(text("{}"))).isNull();
    }

    @Test
    void aDocumentWithAPartMissingIsNotReadAsIfItWereZero() {
        ObjectNode damaged = (ObjectNode) DOCUMENT.toJson();
        ((ObjectNode) damaged.path("recoveries").path(0)).remove("attempts");
        assertThatThrownBy(() -> JournalDocument.read(damaged))
                .isInstanceOf(JsonProcessingException.class)
                .hasMessageContaining("attempts");
    }

    private static ObjectNode text(String json) throws JsonProcessingException {
        return (ObjectNode) new ObjectMapper().readTree(json);
    }
}
