package dev.drrs.nexmark.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineFileTest {

    @TempDir Path directory;

    @Test
    void theFileNeverEndsWithinALine() throws Exception {
        String line = "x".repeat(99);
        Path file = directory.resolve("made/part.jsonl");
        try (LineFile lines = new LineFile(directory.resolve("made"), "part.jsonl")) {
            for (int i = 0; i < 2000; i++) {
                lines.add(line);
                assertThat(Files.size(file) % 100).isZero();
            }
            assertThat(Files.size(file)).isBetween(100_000L, 200_000L);
            lines.flush();
            assertThat(Files.size(file)).isEqualTo(200_000);
            lines.add("ä");
        }
        assertThat(Files.readAllLines(file)).hasSize(2001).endsWith("ä");
    }
}
