package dev.drrs.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OperatorsDocTest {

    /** Surefire runs in the module's folder, which is two below the repository's root. */
    private static final Path PAGE = Path.of("..", "..", "docs", "operators.md");

    private static final String HOW = "to write it anew: make docs";

    @Test
    void thePageOfOperatorsSaysWhatTheCatalogueSays() throws IOException {
        if (System.getProperty("drrs.write-docs") != null) {
            Files.writeString(PAGE, OperatorsDoc.page());
        }
        assertThat(PAGE).as(HOW).content().isEqualTo(OperatorsDoc.page());
    }

    @Test
    void everyRowNamesATestOrAReason() {
        assertThat(Catalogue.rows())
                .allSatisfy(
                        row -> {
                            assertThat(row.isRefused()).isEqualTo(row.proof() == null);
                            assertThat(row.holds()).isNotBlank();
                            assertThat(row.flush()).isNotBlank();
                            assertThat(row.time()).isNotBlank();
                            assertThat(row.roles()).isNotEmpty();
                        });
    }

    /** The first one would hide the second. */
    @Test
    void noTwoRowsAreAboutTheSameOperator() {
        assertThat(
                        Catalogue.rows()
                                .flatMap(
                                        row ->
                                                row.roles().stream()
                                                        .map(
                                                                role ->
                                                                        role
                                                                                + row.operator()
                                                                                + row.parts())))
                .doesNotHaveDuplicates();
    }
}
