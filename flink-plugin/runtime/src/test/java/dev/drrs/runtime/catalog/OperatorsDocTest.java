package dev.drrs.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OperatorsDocTest {

    /** Surefire runs in the module's folder, which is two below the repository's root. */
    private static final Path PAGE = Path.of("..", "..", "docs", "operators.md");

    private static final Path JAVA_TESTS = Path.of("..", "dist", "src", "test", "java");
    private static final Path PYTHON_TESTS = Path.of("..", "..", "tests");

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

    /** As "Class: method" or "file.py: function", the second part left out for all of them. */
    @Test
    void theTestsThatRowsNameAreThere() {
        assertThat(Catalogue.rows().map(Known::proof).filter(Objects::nonNull).distinct())
                .allSatisfy(
                        proof -> {
                            String[] parts = proof.split(": ");
                            boolean python = parts[0].endsWith(".py");
                            String file = python ? parts[0] : parts[0] + ".java";
                            String test =
                                    parts.length < 2
                                            ? ""
                                            : (python ? "def " : "void ") + parts[1] + "(";
                            Path root = python ? PYTHON_TESTS : JAVA_TESTS;
                            try (Stream<Path> all = Files.walk(root)) {
                                assertThat(all.filter(path -> path.endsWith(file)))
                                        .singleElement()
                                        .satisfies(
                                                found ->
                                                        assertThat(Files.readString(found))
                                                                .contains(test));
                            }
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
