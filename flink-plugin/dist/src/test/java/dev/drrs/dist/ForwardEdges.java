package dev.drrs.dist;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** What may hang behind a keyed operator whose results are those of {@link MetByTime}. */
final class ForwardEdges {

    private ForwardEdges() {}

    /** An operator on a FORWARD edge: passes results on, and fails the job if one is late there. */
    static SingleOutputStreamOperator<String> pass(DataStream<String> results, String name) {
        return results.process(new InTime()).name(name).uid(name).startNewChain();
    }

    /** Counts the results per key and time in a second keyed operator, "second". */
    static DataStream<String> countedByTime(DataStream<String> results) {
        return results.map(new KeyAndTime())
                .returns(TypeInformation.of(new TypeHint<Tuple2<Long, Long>>() {}))
                .keyBy(result -> result.f0, Types.LONG)
                .process(new Second())
                .name("second")
                .uid("second");
    }

    private static final class InTime extends ProcessFunction<String, String> {
        @Override
        public void processElement(String result, Context context, Collector<String> out) {
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                throw new IllegalStateException(
                        result + " is late, event time is " + context.timerService());
            }
            out.collect(result);
        }
    }

    private static final class KeyAndTime implements MapFunction<String, Tuple2<Long, Long>> {
        @Override
        public Tuple2<Long, Long> map(String result) {
            String[] parts = result.split("[@:]");
            return Tuple2.of(Long.valueOf(parts[0]), Long.valueOf(parts[1]));
        }
    }

    private static final class Second
            extends KeyedProcessFunction<Long, Tuple2<Long, Long>, String> {
        private transient MetByTime met;

        @Override
        public void open(OpenContext context) {
            met = new MetByTime(getRuntimeContext());
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> result, Context context, Collector<String> out)
                throws Exception {
            met.first(result, context.timerService());
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(met.result(context.getCurrentKey(), time));
        }
    }
}
