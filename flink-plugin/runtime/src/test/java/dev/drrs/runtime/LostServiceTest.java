package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LostServiceTest {

    @Test
    void theRestLeavesTheShareOfTheWork() {
        assertThat(new LostService(0.25).restAfter(3_000)).isEqualTo(9_000);
        assertThat(new LostService(0.5).restAfter(3_000)).isEqualTo(3_000);
        assertThat(new LostService(1).restAfter(3_000)).isZero();
        assertThat(new LostService(0.25).atLeast(0.5).share()).isEqualTo(0.5);
        assertThat(new LostService(0.75).atLeast(0.5).share()).isEqualTo(0.75);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 1.01, Double.NaN})
    void whatIsNoShareIsRefused(double share) {
        Configuration options = new Configuration();
        options.set(DrrsOptions.LOST_SERVICE, share);
        assertThat(LostService.fault(options)).contains("lost-service is " + share);
    }

    @Test
    void theDefaultIsAShare() {
        assertThat(LostService.fault(new Configuration())).isNull();
    }
}
