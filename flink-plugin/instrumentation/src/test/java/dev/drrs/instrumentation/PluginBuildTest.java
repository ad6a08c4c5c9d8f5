package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginBuildTest {

    @TempDir private Path directory;

    @Test
    void theSameContentBuiltLaterAndInAnotherOrderIsTheSameBuild() throws IOException {
        String one = PluginBuild.of(jar("one", 0, "a.class=1", "b.class=2", "META-INF/x=1"));
        String two =
                PluginBuild.of(jar("two", 99_999_000, "b.class=2", "META-INF/x=2", "a.class=1"));
        assertThat(one).isEqualTo(two).matches("[0-9a-f]{12}");
    }

    @Test
    void anotherContentOrAnotherNameIsAnotherBuild() throws IOException {
        assertThat(
                        List.of(
                                PluginBuild.of(jar("one", 0, "a.class=1")),
                                PluginBuild.of(jar("two", 0, "a.class=2")),
                                PluginBuild.of(jar("three", 0, "b.class=1")),
                                PluginBuild.of(jar("four", 0, "a.class=1", "b.class=1"))))
                .doesNotHaveDuplicates();
    }

    @Test
    void withoutAJarTheBuildIsUnknown() {
        assertThat(PluginBuild.own()).isEqualTo("unknown");
    }

    private File jar(String name, long time, String... entries) throws IOException {
        Path jar = directory.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String entry : entries) {
                String[] parts = entry.split("=", 2);
                ZipEntry added = new ZipEntry(parts[0]);
                added.setTime(1_500_000_000_000L + time);
                zip.putNextEntry(added);
                zip.write(parts[1].getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar.toFile();
    }
}
