package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DrrsStrategyTest {

    private final Strategy strategy = Strategies.byName("drrs").orElseThrow();

    @Test
    void withoutOptionsTwoSubscalesPerSubtaskRunAtATime() {
        Strategy.Settings settings = strategy.settings(Map.of());
        assertThat(settings.subscaleConcurrency()).isEqualTo(2);
        assertThat(settings.setAsideLimit().records()).isPositive();
    }

    @Test
    void optionsOfARequestCount() {
        Strategy.Settings settings =
                strategy.settings(
                        Map.of(
                                DrrsStrategy.SUBSCALE_CONCURRENCY, "5",
                                DrrsStrategy.PULL_WINDOW, "1",
                                DrrsStrategy.SET_ASIDE_RECORDS, "0",
                                DrrsStrategy.SET_ASIDE_BYTES, "7"));
        assertThat(settings).isEqualTo(new Strategy.Settings(new SetAsideLimit(0, 7), 1, 5));
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
                        "many");
        assertThat(strategy.check(options))
                .extracting(Fault::code)
                .containsExactly("MALFORMED_REQUEST", "MALFORMED_REQUEST", "UNKNOWN_OPTION");
        assertThatThrownBy(() -> strategy.settings(options))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aStrategyThatDoesNotExistIsNotFound() {
        assertThat(Strategies.byName("nothing")).isEmpty();
        assertThat(Strategies.names()).containsExactly("drrs");
    }
}
