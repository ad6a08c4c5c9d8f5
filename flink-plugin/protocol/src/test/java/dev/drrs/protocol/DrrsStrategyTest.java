package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DrrsStrategyTest {

    private final Strategy strategy = Strategies.byName("drrs").orElseThrow();

    @Test
    void withoutOptionsTwoSubscalesPerSubtaskRunAtATime() {
        Policies policies = strategy.policies(Map.of());
        assertThat(policies.startRule()).isEqualTo(new EmptiestOwnerFirst(2));
        assertThat(policies.copyAhead()).isEqualTo(CopyAhead.NONE);
        assertThat(policies.waitRule())
                .isInstanceOfSatisfying(
                        SetAsideLimit.class, limit -> assertThat(limit.records()).isPositive());
    }

    @Test
    void optionsOfARequestCount() {
        Policies policies =
                strategy.policies(
                        Map.of(
                                DrrsStrategy.SUBSCALE_CONCURRENCY, "5",
                                DrrsStrategy.PULL_WINDOW, "1",
                                DrrsStrategy.SET_ASIDE_RECORDS, "0",
                                DrrsStrategy.SET_ASIDE_BYTES, "7",
                                DrrsStrategy.COPY_AHEAD, "true",
                                DrrsStrategy.COPY_AHEAD_WINDOW, "8"));
        assertThat(policies)
                .isEqualTo(
                        new Policies(
                                Units.BOUNDED,
                                new EmptiestOwnerFirst(5),
                                new DirectSignals(),
                                new HottestFirst(1),
                                new SetAsideLimit(0, 7),
                                new CopyAhead(8)));
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

    @Test
    void aStrategyThatDoesNotExistIsNotFound() {
        assertThat(Strategies.byName("nothing")).isEmpty();
        assertThat(Strategies.names()).contains("drrs").doesNotHaveDuplicates();
    }
}
