package dev.drrs.gateway.shapes;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** What follows a head in its chain, by name. */
final class ChainedOperators {

    static final OutputTag<Result> ASIDE = new OutputTag<>("aside", Types.POJO(Result.class));

    private ChainedOperators() {}

    static SingleOutputStreamOperator<Result> of(String name, SingleOutputStreamOperator<Result> results) {
        return switch (name) {
            case "map" -> results.map(ChainedOperators::marked).returns(Result.class);
            case "flat-map" -> results.flatMap(ChainedOperators::twice).returns(Result.class);
            case "filter" -> results.filter(result -> "sm".indexOf(result.judged()) < 0 || result.text.hashCode() % 5 != 0);
            case "process" -> results.process(new Aside());
            case "async" -> AsyncDataStream.orderedWait(results, new Later(), 60, TimeUnit.SECONDS, 20);
            case "async-unordered" -> AsyncDataStream.unorderedWait(results, new Later(), 60, TimeUnit.SECONDS, 20);
            case "buffer" ->
                    results.transform("buffer", Types.POJO(Result.class), new BufferOperator());
            case "assigner" ->
                    results.assignTimestampsAndWatermarks(
                            WatermarkStrategy.<Result>forMonotonousTimestamps()
                                    .withTimestampAssigner((result, timestamp) -> timestamp));
            case "checkpointed" -> results.map(new RefusedHeads.InCheckpoints());
            default -> results.flatMap(Faults.of(name)).returns(Result.class);
        };
    }

    private static Result marked(Result result) {
        Result copy = result.copy();
        copy.text += "'";
        return copy;
    }

    private static void twice(Result result, Collector<Result> out) {
        Result copy = result.copy();
        copy.lane += "-twice";
        out.collect(result);
        out.collect(copy);
    }

    /** Gives some results to a side output as well. */
    private static final class Aside extends ProcessFunction<Result, Result> {
        @Override
        public void processElement(Result result, Context context, Collector<Result> out) {
            if ("snm".indexOf(result.judged()) >= 0) {
                Result copy = result.copy();
                copy.lane += "-aside";
                context.output(ASIDE, copy);
            }
            out.collect(result);
        }
    }

    /** Answers after up to three milliseconds, in another thread. */
    private static final class Later extends RichAsyncFunction<Result, Result> {
        private transient Executor[] executors;

        @Override
        public void open(OpenContext context) {
            executors = new Executor[4];
            for (int i = 0; i < executors.length; i++) {
                executors[i] =
                        i == 0 ? Runnable::run : CompletableFuture.delayedExecutor(i, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void asyncInvoke(Result result, ResultFuture<Result> future) {
            Result copy = result.copy();
            executors[(int) (Events.mixed(result.key * 31 + result.number) % executors.length)].execute(
                    () -> future.complete(List.of(copy)));
        }
    }
}
