package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OptionsDocTest {

    /** Surefire runs in the module's folder, which is two below the repository's root. */
    private static final Path PAGE = Path.of("..", "..", "docs", "options.md");

    private static final String HOW = "to write it anew: make docs";

    @Test
    void thePageOfOptionsSaysWhatTheCodeSays() throws IOException {
        if (System.getProperty("drrs.write-docs") != null) {
            Files.writeString(PAGE, OptionsDoc.page());
        }
        assertThat(PAGE).as(HOW).content().isEqualTo(OptionsDoc.page());
    }

    @Test
    void everyOptionHasItsTypeDefaultAndMeaning() {
        assertThat(OptionsDoc.page())
                .contains("| `drrs.enabled` | Boolean | `false` |")
                .contains("| `drrs.ceiling` | Integer | (none) |")
                .contains("| `drrs.provisioning.timeout` | Duration | `2 min` |")
                .contains("| `drrs.rest.max-request-size` | MemorySize | `1 mb` |")
                .doesNotContain("|  |");
    }
}
