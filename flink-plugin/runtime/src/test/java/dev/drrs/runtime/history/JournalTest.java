package dev.drrs.runtime.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.storage.TestStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    private final JobID job = new JobID();

    @TempDir private Path storage;

    private Journal journal() {
        return Journal.of(TestStorage.in(storage), job);
    }

    private static JsonNode document(int number) {
        return JsonNodeFactory.instance.objectNode().put("number", number);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(storage)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void theNewestDocumentIsReadByTheNextJobManagerAndOnlyThatIsKept() throws Exception {
        Journal first = journal();
        assertThat(first.load()).isNull();
        first.save(document(1)).get(30, TimeUnit.SECONDS);
        first.save(document(2)).get(30, TimeUnit.SECONDS);
        first.close(false);

        Journal second = journal();
        assertThat(second.load()).isEqualTo(document(2));
        second.save(document(3)).get(30, TimeUnit.SECONDS);
        second.close(false);

        assertThat(files()).hasSize(1);
        assertThat(journal().load()).isEqualTo(document(3));
    }

    @Test
    void aDocumentThatWasNotWrittenToItsEndIsPassedOver() throws Exception {
        Journal first = journal();
        first.save(document(1)).get(30, TimeUnit.SECONDS);
        first.close(false);
        Path written = files().get(0);
        Files.writeString(written.resolveSibling("rescales-2"), "{\"number\":");
        Files.writeString(written.resolveSibling("rescales-3"), "");

        Journal second = journal();
        assertThat(second.load()).isEqualTo(document(1));
        second.save(document(4)).get(30, TimeUnit.SECONDS);
        assertThat(journal().load()).isEqualTo(document(4));
    }

    @Test
    void nothingIsLeftOfAJobThatIsOver() throws Exception {
        Journal journal = journal();
        journal.save(document(1)).get(30, TimeUnit.SECONDS);
        journal.close(true);
        assertThat(journal.isDone(30)).isTrue();
        assertThat(files()).isEmpty();
    }

    @Test
    void withoutHighAvailabilityNothingIsKept() throws Exception {
        Journal journal = Journal.of(new Configuration(), job);
        journal.save(document(1)).get(30, TimeUnit.SECONDS);
        assertThat(journal.load()).isNull();
        journal.close(true);
    }
}
