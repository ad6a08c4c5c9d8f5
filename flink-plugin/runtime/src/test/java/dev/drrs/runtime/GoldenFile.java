package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** JSON that is kept beside the tests, to be seen when it changes and to be read by others. */
public final class GoldenFile {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FOLDER = Path.of("src", "test", "resources");

    private GoldenFile() {}

    /**
     * Fails unless the file says the same; with {@code -Ddrrs.write-docs} it is written first.
     *
     * @param name below the folder of test resources
     */
    public static void assertSame(String name, String json) throws IOException {
        Path file = FOLDER.resolve(name);
        String pretty =
                JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(json))
                        + "\n";
        if (System.getProperty("drrs.write-docs") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, pretty);
        }
        assertThat(file).as("to write it anew: make docs").content().isEqualTo(pretty);
    }
}
