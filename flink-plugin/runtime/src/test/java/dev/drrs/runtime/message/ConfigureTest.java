package dev.drrs.runtime.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.protocol.DrrsStrategy;
import java.util.Map;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class ConfigureTest {

    @Test
    void aTaskMakesOfNameAndOptionsWhatTheJobManagerMadeOfThem() throws Exception {
        Map<String, String> options = Map.of(DrrsStrategy.PULL_WINDOW, "9");
        Configure sent = InstantiationUtil.clone(new Configure("drrs", options));
        assertThat(sent.policies()).isEqualTo(new DrrsStrategy().policies(options));
    }

    @Test
    void aStrategyThatThisPlugInDoesNotHaveIsRefusedByName() {
        Configure unknown = new Configure("later", Map.of());
        assertThatThrownBy(unknown::policies)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no strategy later")
                .hasMessageContaining("there is drrs");
    }
}
