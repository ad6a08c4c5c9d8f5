package dev.drrs.nexmark.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.NexmarkJob;
import dev.drrs.nexmark.options.Options;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QueriesTest {

    static Stream<String> queries() {
        return Stream.of(Options.QUERY.values().split("\\|"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void theReadmeNamesEachKeyedOperatorOfAQueryByItsUid(String query) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        NexmarkJob.build(environment, "--query", query, "--output", "unused");
        String row =
                Files.readAllLines(Path.of("README.md")).stream()
                        .filter(line -> line.startsWith("| `" + query + "`"))
                        .findFirst()
                        .orElseThrow();
        Set<String> uids = keyedUids(environment.getStreamGraph());
        assertThat(uids).isNotEmpty().allSatisfy(uid -> assertThat(row).contains("`" + uid + "`"));
    }

    private static Set<String> keyedUids(StreamGraph graph) {
        Set<String> uids = new HashSet<>();
        for (StreamNode node : graph.getStreamNodes()) {
            if (node.getStatePartitioners().length > 0) {
                uids.add(String.valueOf(node.getTransformationUID()));
            }
        }
        return uids;
    }
}
