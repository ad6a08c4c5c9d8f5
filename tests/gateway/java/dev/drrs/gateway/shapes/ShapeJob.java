package dev.drrs.gateway.shapes;

import dev.drrs.gateway.shapes.Shape.Branch;
import dev.drrs.gateway.shapes.Shape.Origin;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Builds the job of a {@link Shape}. The uids of what is rescaled are {@code head0}, {@code head0-second}, {@code head1}.. */
public final class ShapeJob {

    private ShapeJob() {}

    /** @return the job's name */
    public static String build(StreamExecutionEnvironment environment, String json) {
        Shape shape = Shape.of(json);
        environment.setMaxParallelism(shape.maximum());
        environment.setParallelism(shape.parallelism());
        environment.setBufferTimeout(shape.timeout());
        environment.getConfig().setAutoWatermarkInterval(20);
        if (shape.reuse()) {
            environment.getConfig().enableObjectReuse();
        }
        checkpoints(environment, shape);
        List<DataStream<Event>> sources = new ArrayList<>();
        for (int i = 0; i < shape.sources().size(); i++) {
            sources.add(source(environment, shape, i));
        }
        List<SingleOutputStreamOperator<Result>> branches = new ArrayList<>();
        for (int i = 0; i < shape.branches().size(); i++) {
            branches.add(branch(shape, i, sources));
        }
        if (shape.meeting()) {
            DataStream<Result> all = branches.get(0);
            for (DataStream<Result> other : branches.subList(1, branches.size())) {
                all = all.union(other);
            }
            KeyKind kind = KeyKind.of(shape.keys().type());
            boolean ordered =
                    shape.branches().stream()
                            .allMatch(one -> one.ordered() && !Followers.MIXING.contains(one.follower()));
            branches = List.of(Followers.meeting(all, "meeting", kind, ordered));
        }
        for (int i = 0; i < branches.size(); i++) {
            sink(shape, i, branches.get(i));
        }
        return shape.name();
    }

    private static void checkpoints(StreamExecutionEnvironment environment, Shape shape) {
        Shape.Checkpoints wanted = shape.checkpoints();
        if (wanted.interval() == 0) {
            return;
        }
        environment.enableCheckpointing(
                wanted.interval(),
                wanted.once() ? CheckpointingMode.EXACTLY_ONCE : CheckpointingMode.AT_LEAST_ONCE);
        CheckpointConfig config = environment.getCheckpointConfig();
        config.setMaxConcurrentCheckpoints(wanted.concurrent());
        config.enableUnalignedCheckpoints(wanted.unaligned());
    }

    private static DataStream<Event> source(StreamExecutionEnvironment environment, Shape shape, int index) {
        Origin origin = shape.sources().get(index);
        EventSource source =
                new EventSource(
                        shape.name(), origin.rate(), origin.brief(), new Events(shape, index), origin.splits());
        return environment
                .fromSource(source, EventTime.strategy(shape.time()), "source" + index, Types.POJO(Event.class))
                .uid("source" + index)
                .setParallelism(origin.readers());
    }

    private static SingleOutputStreamOperator<Result> branch(Shape shape, int index, List<DataStream<Event>> sources) {
        Branch branch = shape.branches().get(index);
        StreamExecutionEnvironment environment = sources.get(0).getExecutionEnvironment();
        String uid = "head" + index;
        int parallelism = shape.parallelismOf(uid);
        environment.setParallelism(parallelism);
        KeyKind kind = KeyKind.of(shape.keys().type());
        Lanes lanes = new Lanes(shape.name(), index, shape.ordered(branch.head()));
        DataStream<Event> all = sources.get(0);
        for (DataStream<Event> source : sources.subList(1, sources.size())) {
            all = all.union(source);
        }
        Heads.Output head = Heads.of(branch.head(), new Heads.Input(uid, kind, all, sources), lanes);
        SingleOutputStreamOperator<Result> results = head.main();
        int number = 0;
        for (DataStream<Result> other : head.others()) {
            Sinks.add(branch.sink(), other, shape, uid + "-other" + number++, parallelism);
        }
        if (!branch.second().equals("none")) {
            parallelism = shape.parallelismOf(uid + "-second");
            environment.setParallelism(parallelism);
            uid += "-second";
            results = SecondHeads.of(branch.second(), results, kind, lanes).uid(uid).name(uid);
        }
        for (String name : branch.chained()) {
            results = ChainedOperators.of(name, results);
            results.uid(uid + "-chained" + number);
            if (name.equals("process")) {
                Sinks.add(
                        branch.sink(),
                        results.getSideOutput(ChainedOperators.ASIDE),
                        shape,
                        uid + "-aside" + number,
                        parallelism);
            }
            number++;
        }
        return Followers.of(branch.follower(), results, parallelism, uid + "-follower", kind, branch.ordered());
    }

    private static void sink(Shape shape, int index, SingleOutputStreamOperator<Result> results) {
        Branch branch = shape.branches().get(index);
        boolean chained = branch.writers() == 0;
        Sinks.add(
                branch.sink(),
                chained ? results : results.rebalance(),
                shape,
                "sink" + index,
                chained ? results.getParallelism() : branch.writers());
    }
}
