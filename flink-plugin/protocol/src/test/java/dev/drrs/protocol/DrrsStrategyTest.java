package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DrrsStrategyTest {

    private final Strategy strategy = Strategies.byName("drrs").orElseThrow();

    @Test
    void withoutOptionsTwoSubscalesPerSubtaskRunAtATime() {
        Policies policies = strategy.policies(Map.of());
        assertThat(policies.startRule()).isEqualTo(new EmptiestOwnerFirst(2, 4, 2));
        assertThat(policies.copyAhead()).isEqualTo(CopyAhead.NONE);
        assertThat(policies.waitRule())
                .isInstanceOfSatisfying(
                        SetAsideLimit.class, limit -> assertThat(limit.records()).isPositive());
    }

    @Test
    void optionsOfARequestCount() {
        Policies policies =
                strategy.policies(
                        Map.ofEntries(
                                Map.entry(DrrsStrategy.SUBSCALE_CONCURRENCY, "5"),
                                Map.entry(DrrsStrategy.SUBSCALE_KEY_GROUPS, "9"),
                                Map.entry(DrrsStrategy.NODE_CONCURRENCY, "3"),
                                Map.entry(DrrsStrategy.WARM_UP, "6"),
                                Map.entry(DrrsStrategy.PULL_WINDOW, "1"),
                                Map.entry(DrrsStrategy.SET_ASIDE_RECORDS, "0"),
                                Map.entry(DrrsStrategy.SET_ASIDE_BYTES, "7 mb"),
                                Map.entry(DrrsStrategy.BINS_FROM, "3 kb"),
                                Map.entry(DrrsStrategy.BINS_SIZE, "4"),
                                Map.entry(DrrsStrategy.COPY_AHEAD, "true"),
                                Map.entry(DrrsStrategy.COPY_AHEAD_WINDOW, "8 kb"),
                                Map.entry(DrrsStrategy.COPY_AHEAD_RATE, "2 MB")));
        assertThat(policies)
                .isEqualTo(
                        new Policies(
                                new BoundedUnits(9),
                                new EmptiestOwnerFirst(5, 6, 3),
                                new DirectSignals(),
                                new HottestFirst(1, new BinsBySize(3 << 10, 4)),
                                new SetAsideLimit(0, 7 << 20),
                                new CopyAhead(8 << 10, 2 << 20)));
    }

    @Test
    void eachMechanismCanBeLeftOutByItself() {
        Policies all = strategy.policies(Map.of());
        assertThat(without(DrrsStrategy.DECOUPLING).signals()).isEqualTo(new AlignedSignals());
        assertThat(without(DrrsStrategy.DECOUPLING).waitRule()).isEqualTo(all.waitRule());
        assertThat(without(DrrsStrategy.RECORD_SCHEDULING).waitRule()).isEqualTo(new InOrder());
        assertThat(without(DrrsStrategy.RECORD_SCHEDULING).units()).isEqualTo(all.units());
        assertThat(without(DrrsStrategy.SUBSCALE_DIVISION).units()).isEqualTo(Units.PAIRS);
        assertThat(without(DrrsStrategy.SUBSCALE_DIVISION).signals()).isEqualTo(all.signals());
    }

    private Policies without(String mechanism) {
        return strategy.policies(Map.of(mechanism, "false"));
    }

    @Test
    void allFaultsOfTheOptionsAreFound() {
        Map<String, String> options =
                Map.of(
                        "drrs.unknown",
                        "1",
                        DrrsStrategy.PULL_WINDOW,
                        "0",
                        DrrsStrategy.SET_ASIDE_BYTES,
                        "many",
                        DrrsStrategy.COPY_AHEAD,
                        "1");
        assertThat(strategy.check(options))
                .extracting(PlanFault::code)
                .containsExactly(
                        "MALFORMED_REQUEST",
                        "MALFORMED_REQUEST",
                        "MALFORMED_REQUEST",
                        "UNKNOWN_OPTION");
        assertThatThrownBy(() -> strategy.policies(options))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A plain number is one of bytes. */
    @Test
    void allSizesAreWrittenInOneWay() {
        Map<String, String> sizes =
                Map.of(
                        "drrs", DrrsStrategy.SET_ASIDE_BYTES,
                        "lazy", LazyStrategy.SET_ASIDE_BYTES,
                        "remote", RemoteStrategy.SET_ASIDE_BYTES);
        sizes.forEach(
                (name, option) -> {
                    Strategy one = Strategies.byName(name).orElseThrow();
                    assertThat(one.check(Map.of(option, "1 kb"))).isEmpty();
                    assertThat(one.policies(Map.of(option, "1024")))
                            .isEqualTo(one.policies(Map.of(option, "1 kb")));
                });
    }

    @Test
    void aWindowOfNothingIsRefusedWithTheFormOfASize() {
        assertThat(strategy.check(Map.of(DrrsStrategy.COPY_AHEAD_WINDOW, "0")))
                .extracting(PlanFault::message)
                .containsExactly(
                        "Option drrs.copy-ahead.window is 0; it has to be a size of at least 1"
                                + " bytes, as 1048576 or 1 mb.");
    }

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "0, 0",
        "7b, 7",
        "3 kb, 3072",
        "1g, 1073741824",
        "2 Tebibytes, 2199023255552"
    })
    void aRateIsASizeAsFlinkWritesThem(String text, long bytes) {
        Map<String, String> options =
                Map.of(DrrsStrategy.COPY_AHEAD, "true", DrrsStrategy.COPY_AHEAD_RATE, text);
        assertThat(strategy.policies(options).copyAhead().rate()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "fast",
                "1.5 mb",
                "3 miles",
                "",
                "9000000000 gb",
                "99999999999999999999"
            })
    void aRateThatIsNoSizeIsRefused(String text) {
        assertThat(strategy.check(Map.of(DrrsStrategy.COPY_AHEAD_RATE, text)))
                .extracting(PlanFault::code)
                .containsExactly("MALFORMED_REQUEST");
    }

    @Test
    void aStrategyThatDoesNotExistIsNotFound() {
        assertThat(Strategies.byName("nothing")).isEmpty();
        assertThat(Strategies.names()).contains("drrs").doesNotHaveDuplicates();
    }
}
