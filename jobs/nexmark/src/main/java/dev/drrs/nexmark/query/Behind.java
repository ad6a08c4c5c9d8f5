package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * What stands behind a keyed operator: nothing, or a task of its own that is not keyed and as
 * parallel, so that the edge between them is a FORWARD one.
 */
public final class Behind {

    private Behind() {}

    /** Whether the option asks for a task of its own. */
    public static boolean isBroken(Arguments arguments) {
        return !arguments.text(Options.BEHIND).equals("direct");
    }

    /** The stream behind such a task, or as it was. */
    public static <T> DataStream<T> of(
            DataStream<T> results, String keyedUid, Arguments arguments) {
        if (!isBroken(arguments)) {
            return results;
        }
        SingleOutputStreamOperator<T> passed =
                results.process(new InTime<>(), results.getType())
                        .uid("behind-" + keyedUid)
                        .name("behind " + keyedUid)
                        .setParallelism(arguments.integer(Options.PARALLELISM))
                        .startNewChain();
        return arguments.text(Options.BEHIND).equals("own-slots")
                ? passed.slotSharingGroup("behind")
                : passed;
    }

    /** Passes elements on; one with a time that is behind event time here makes the job fail. */
    private static final class InTime<T> extends ProcessFunction<T, T> {
        @Override
        public void processElement(T element, Context context, Collector<T> out) {
            Long time = context.timestamp();
            long now = context.timerService().currentWatermark();
            if (time != null && time <= now) {
                throw new IllegalStateException(
                        element + " of time " + time + " is late, event time is " + now);
            }
            out.collect(element);
        }
    }
}
