package dev.drrs.nexmark.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    private static final Path PAGE = Path.of("README.md");

    /** Head and rows. */
    private static final Pattern TABLE = Pattern.compile("\\| option \\|.*\n(?:\\|.*\n)*");

    @Test
    void theReadmeHasTheTableOfTheOptions() throws IOException {
        String page = Files.readString(PAGE);
        String table = Options.table();
        if (System.getProperty("drrs.write-docs") != null) {
            page = TABLE.matcher(page).replaceFirst(Matcher.quoteReplacement(table));
            Files.writeString(PAGE, page);
        }
        assertThat(page).as("to write it anew: make docs").contains(table);
    }

    @Test
    void allFaultsOfACommandLineAreToldAtOnce() {
        assertThatThrownBy(
                        () ->
                                Arguments.parse(
                                        "--nope", "1", "--query", "q99", "--rate", "-5", "--hold"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "Unknown option --nope",
                        "--query takes count|q3|q4|q5|",
                        "|fan|many|rules|parity, not \"q99\"",
                        "--rate takes number, not \"-5\"",
                        "--hold has no value");
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        assertThatThrownBy(
                        () ->
                                Arguments.parse(
                                        "--query",
                                        "q5",
                                        "--ballast-bytes",
                                        "5",
                                        "--replay",
                                        "data",
                                        "--rate",
                                        "7",
                                        "--parallelism",
                                        "129",
                                        "--rate-steps",
                                        "5,1000",
                                        "--wait-from",
                                        "5"))
                .hasMessageContainingAll(
                        "--output is needed",
                        "--ballast-bytes is for the queries count, q17, states and synthetic, not q5",
                        "--rate has no effect with --replay",
                        "--parallelism must not be above --max-parallelism",
                        "--rate-shape steps, and no other, needs --rate-steps",
                        "--wait-from needs --opening-file");
    }

    @Test
    void whatAnotherWritesToKafkaIsNotForTheJobToSay() {
        assertThatThrownBy(
                        () ->
                                Arguments.parse(
                                        "--output",
                                        "o",
                                        "--kafka",
                                        "localhost:1",
                                        "--rate",
                                        "7",
                                        "--replay",
                                        "data"))
                .hasMessageContainingAll(
                        "--rate has no effect with --kafka: what is in the topic decides",
                        "--replay has no effect with --kafka: whoever writes to the topic decides");
        assertThatThrownBy(() -> Arguments.parse("--output", "o", "--kafka-topic", "t"))
                .hasMessageContaining("--kafka-topic needs --kafka");
    }

    @Test
    void valuesAndDefaultsAreRead() {
        Arguments arguments =
                Arguments.parse("--output", "out", "--idle-splits", "3,1", "--hold", "true");
        assertThat(arguments.numbers(Options.IDLE_SPLITS)).containsExactly(3, 1);
        assertThat(arguments.flag(Options.HOLD)).isTrue();
        assertThat(arguments.integer(Options.MAX_PARALLELISM)).isEqualTo(128);
        assertThat(arguments.isGiven(Options.RATE)).isFalse();
    }
}
