package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class UnknownOptionsTest {

    @Test
    void whatLooksLikeAnOptionAndIsNoneIsNamed() {
        Configuration configuration =
                Configuration.fromMap(
                        Map.of(
                                "drrs.enabled", "true",
                                "drrs.set-aside.records", "10",
                                "drrs.strategy.set-aside.records", "10",
                                "parallelism.default", "2"));

        assertThat(UnknownOptions.warnings(configuration))
                .singleElement()
                .asString()
                .startsWith("drrs.set-aside.records is no option of the plug-in");
    }
}
