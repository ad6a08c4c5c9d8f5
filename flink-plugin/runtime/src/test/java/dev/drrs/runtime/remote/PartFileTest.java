package dev.drrs.runtime.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartFileTest {

    /** More than is read at a time. */
    private final byte[] content = new byte[200_000];

    @TempDir private java.nio.file.Path directory;

    private java.nio.file.Path file;

    @BeforeEach
    void fill() {
        file = directory.resolve("folder").resolve("part");
        new Random(1).nextBytes(content);
    }

    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        PartFile part = write();

        assertThat(part.bytes()).isEqualTo(content.length);
        assertThat(read(part)).isEqualTo(content);
        part.remove();
        assertThat(file).doesNotExist();
        part.remove();
    }

    @Test
    void whatNobodyIsToReadIsNotLeft() throws IOException {
        try (PartWriter writer = new PartWriter(new Path(file.toUri()))) {
            writer.write(content, 0, 10);
            writer.finish();
        }

        assertThat(file).doesNotExist();
    }

    @Test
    void nothingIsWrittenOver() throws IOException {
        PartFile part = write();

        assertThatThrownBy(() -> new PartWriter(new Path(file.toUri())))
                .isInstanceOf(IOException.class);
        assertThat(read(part)).isEqualTo(content);
    }

    @Test
    void whatIsMissingOrDamagedIsNoState() throws IOException {
        PartFile part = write();
        byte[] other = content.clone();
        other[content.length / 2]++;
        assertDamaged(part, other);
        assertDamaged(part, Arrays.copyOf(content, content.length - 1));
        assertDamaged(part, Arrays.copyOf(content, content.length + 1));
        Files.delete(file);

        assertThatThrownBy(() -> read(part)).isInstanceOf(IOException.class);
    }

    private void assertDamaged(PartFile part, byte[] found) throws IOException {
        Files.write(file, found);
        assertThatThrownBy(() -> read(part))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is damaged: 200000 bytes");
    }

    private PartFile write() throws IOException {
        try (PartWriter writer = new PartWriter(new Path(file.toUri()))) {
            writer.write(content, 0, 1_000);
            writer.write(content, 1_000, content.length - 1_000);
            PartFile part = writer.finish();
            writer.handedOver();
            return part;
        }
    }

    private static byte[] read(PartFile part) throws IOException {
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        part.read(piece -> found.write(piece.array(), piece.position(), piece.remaining()));
        return found.toByteArray();
    }
}
