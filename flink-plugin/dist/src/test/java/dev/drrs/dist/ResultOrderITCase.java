package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results of one key come behind the operator in the order in which they were made (rule R6). */
@Timeout(600)
class ResultOrderITCase extends CleanCluster {

    private static final long NUMBERS = 240_000;
    private static final long PER_SECOND = 20_000;
    private static final int[] WALK = {4, 3, 5, 2};

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value = "order of results: behind an exchange, the consumer elastic too",
            path = {2, 4, 3, 5, 2})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindAnExchange(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "order-exchange-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RunningCounts.look(RunningCounts.of(numbers(env)), name).sinkTo(new DiscardingSink<>());

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : WALK) {
            job.rescale("operator", target);
            job.rescale("look", target);
        }
        job.awaitEnd();

        assertInOrder(name, NUMBERS);
    }

    @Covers("order of results: in a chained sink that writes many at a time")
    @Test
    void inAChainedSink(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "order-chained-sink";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RunningCounts.of(numbers(env)).sinkTo(new SlowWrites(name, 1_000));

        walk(cluster, env, name);

        assertInOrder(name, NUMBERS);
    }

    @Covers("order of results: in a sink on a FORWARD edge")
    @Test
    void inASinkOnAForwardEdge(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "order-follower";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        RunningCounts.of(numbers(env)).sinkTo(new SlowWrites(name, 1_000)).disableChaining();

        walk(cluster, env, name);

        assertInOrder(name, NUMBERS);
    }

    @Covers("job shapes: asynchronous I/O chained behind the operator, before a FORWARD edge")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindAsynchronousRequests(boolean follower, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "order-async-" + follower;
        long numbers = 24_000;
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Long, Long>> counts =
                RunningCounts.of(TimedNumbers.untilReleased(env, "a", numbers, PER_SECOND / 10));
        SingleOutputStreamOperator<Tuple2<Long, Long>> answers =
                AsyncDataStream.orderedWait(counts, new Ask(), 30, TimeUnit.SECONDS, 200);
        if (follower) {
            answers = answers.startNewChain();
        }
        answers.sinkTo(new SlowWrites(name, 100));

        walk(cluster, env, name);

        assertInOrder(name, numbers);
    }

    @Covers("order of results: on side outputs, of several operators in a union")
    @Test
    void sideOutputsAndAUnion(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "order-union";
        OutputTag<Tuple2<Long, Long>> aside = new OutputTag<>("aside", RunningCounts.TYPE);
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        SingleOutputStreamOperator<Tuple2<Long, Long>> counts = RunningCounts.of(numbers(env));
        SingleOutputStreamOperator<Tuple2<Long, Long>> parted =
                counts.process(new Odd(aside)).returns(RunningCounts.TYPE);
        // Counts of odd keys take the one way, those of even keys the other.
        RunningCounts.look(parted.union(parted.getSideOutput(aside)), name)
                .sinkTo(new DiscardingSink<>());

        walk(cluster, env, name);

        assertInOrder(name, NUMBERS);
    }

    @Covers("order of results: after a rescale that was aborted")
    @Test
    void afterAnAbort(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "order-abort";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RunningCounts.look(RunningCounts.of(numbers(env)), name).sinkTo(new DiscardingSink<>());

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        for (int i = 0; i < 3; i++) {
            ObjectNode slow = rescales.request("operator", 4, 1);
            slow.putObject("options").put("drrs.strategy.subscale-concurrency", "1");
            String id = rescales.begin(slow);
            rescales.awaitBegun(id);
            rescales.abort(id);
            JsonNode end = rescales.await(id);
            assertThat(end.path("phase").asText()).as(end.toString()).isIn("ABORTED", "COMPLETED");
            if (end.path("phase").asText().equals("COMPLETED")) {
                job.rescale("operator", 2);
            }
            job.awaitCheckpoint();
        }
        job.awaitEnd();

        assertInOrder(name, NUMBERS);
    }

    private static void walk(MiniCluster cluster, StreamExecutionEnvironment env, String name)
            throws Exception {
        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : WALK) {
            job.rescale("operator", target);
        }
        job.awaitEnd();
    }

    private static DataStream<Tuple2<Long, Long>> numbers(StreamExecutionEnvironment env) {
        return TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND);
    }

    private static void assertInOrder(String job, long numbers) {
        RunningCounts.Seen seen = RunningCounts.seen(job);
        assertThat(seen.disorder()).isEqualTo("0");
        assertThat(seen.total()).isEqualTo(numbers);
    }

    /** Answers some milliseconds later, in another thread. */
    private static final class Ask
            implements AsyncFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
        @Override
        public void asyncInvoke(Tuple2<Long, Long> count, ResultFuture<Tuple2<Long, Long>> result) {
            Executor later = CompletableFuture.delayedExecutor(count.f1 % 7, TimeUnit.MILLISECONDS);
            later.execute(() -> result.complete(List.of(count)));
        }
    }

    private static final class Odd extends ProcessFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private final OutputTag<Tuple2<Long, Long>> odd;

        Odd(OutputTag<Tuple2<Long, Long>> odd) {
            this.odd = odd;
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> count, Context context, Collector<Tuple2<Long, Long>> out) {
            if (count.f0 % 2 == 0) {
                out.collect(count);
            } else {
                context.output(odd, count);
            }
        }
    }
}
