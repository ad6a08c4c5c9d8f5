package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.ElasticTaskInfo.ElasticSelf;
import dev.drrs.runtime.ElasticTaskInfo.InEdge;
import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class ElasticTaskInfoTest {

    @Test
    void comesBackFromTheConfigurationAsItWentIn() {
        ElasticTaskInfo info =
                new ElasticTaskInfo(
                        true,
                        new ElasticSelf(
                                "ab",
                                "cd",
                                4,
                                128,
                                false,
                                new boolean[] {true, false, true, false}),
                        List.of(
                                new OutEdge(
                                        "ef",
                                        "01",
                                        true,
                                        new int[] {0, 2},
                                        new boolean[] {true, false, true})),
                        List.of(
                                new InEdge(
                                        1,
                                        "23",
                                        new boolean[] {true, true},
                                        new boolean[] {false, true})),
                        Map.of("drrs.enabled", "true"));

        ElasticTaskInfo back =
                ElasticTaskInfo.decode(
                        new Configuration().set(ElasticTaskInfo.ENTRY, info.encode()));

        assertThat(back).usingRecursiveComparison().isEqualTo(info);
        assertThat(back.self().activeCount()).isEqualTo(2);
    }

    @Test
    void isAbsentInATaskOfAJobThatIsNotElastic() {
        assertThat(ElasticTaskInfo.decode(new Configuration())).isNull();
    }

    @Test
    void saysThatVersionsDifferWhenItCannotBeRead() {
        Configuration foreign = new Configuration().set(ElasticTaskInfo.ENTRY, "AAAA");

        assertThatThrownBy(() -> ElasticTaskInfo.decode(foreign))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("same version");
    }
}
