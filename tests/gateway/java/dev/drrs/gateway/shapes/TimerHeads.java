package dev.drrs.gateway.shapes;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Functions with timers. */
final class TimerHeads {

    private TimerHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        KeyedProcessFunction<Object, Event, Result> function =
                switch (head) {
                    case "timers" -> new Ahead(lanes);
                    case "timers-past" -> new Past(lanes);
                    case "timers-processing" -> new ByClock(lanes);
                    default -> null;
                };
        return function == null ? null : Heads.Output.of(input.keyed().process(function));
    }

    private abstract static class Timed extends KeyedProcessFunction<Object, Event, Result> {
        final Lanes lanes;
        transient ValueState<Long> number;
        transient ValueState<Long> fired;

        Timed(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            number = getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
            fired = getRuntimeContext().getState(new ValueStateDescriptor<>("fired", Types.LONG));
        }

        static long increment(ValueState<Long> state) throws Exception {
            state.update(state.value() == null ? 1 : state.value() + 1);
            return state.value();
        }
    }

    /** A timer for each event, which may be deleted by the next event and comes again twice. */
    private static final class Ahead extends Timed {
        private static final long AHEAD_MS = 400;
        private transient ValueState<Long> latest;

        Ahead(Lanes lanes) {
            super(lanes);
        }

        @Override
        public void open(OpenContext context) {
            super.open(context);
            latest = getRuntimeContext().getState(new ValueStateDescriptor<>("latest", Types.LONG));
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("elements", event, increment(number), ""));
            // What fires is a multiple of three ahead: those that come again never meet one of an event.
            long at = event.ts / 3 * 3 + AHEAD_MS / 3 * 3;
            Long before = latest.value();
            // One that is not due before this event has not fired: deleting it is no race with event time.
            if (lanes.ordered() && event.value % 4 == 0 && before != null && before >= event.ts && before != at) {
                context.timerService().deleteEventTimeTimer(before);
            }
            if (before == null || at > before || !lanes.ordered()) {
                context.timerService().registerEventTimeTimer(at);
                latest.update(at);
            }
        }

        @Override
        public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
            long key = KeyKind.id(context.getCurrentKey());
            out.collect(
                    lanes.ordered()
                            ? lanes.sequence("timers", key, increment(fired), at)
                            : lanes.numbered("timers", key, increment(fired), ""));
            if (at % 3 != 2) {
                context.timerService().registerEventTimeTimer(at + 1);
            }
        }
    }

    /** A timer for each event at a time that has passed: it fires with the next watermark. */
    private static final class Past extends Timed {

        Past(Lanes lanes) {
            super(lanes);
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            long mine = increment(number);
            out.collect(lanes.ofEvent("elements", event, mine, ""));
            context.timerService().registerEventTimeTimer(mine);
        }

        @Override
        public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
            out.collect(lanes.sequence("timers", KeyKind.id(context.getCurrentKey()), increment(fired), at));
        }
    }

    /** A timer of the clock that says how many events there were; the last one of a key fires before the job ends. */
    private static final class ByClock extends Timed {
        private static final long AHEAD_MS = 40;
        private static final long LOST_MS = 60_000;
        private transient ValueState<Long> due;

        ByClock(Lanes lanes) {
            super(lanes);
        }

        @Override
        public void open(OpenContext context) {
            super.open(context);
            due = getRuntimeContext().getState(new ValueStateDescriptor<>("due", Types.LONG));
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("elements", event, increment(number), ""));
            long now = context.timerService().currentProcessingTime();
            if (due.value() == null || event.value % 8 == 0) {
                if (due.value() != null) {
                    context.timerService().deleteProcessingTimeTimer(due.value());
                }
                due.update(now + AHEAD_MS);
                context.timerService().registerProcessingTimeTimer(now + AHEAD_MS);
            } else if (now > due.value() + LOST_MS) {
                throw new IllegalStateException("a timer is lost: due " + due.value() + ", now " + now);
            }
        }

        @Override
        public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
            long key = KeyKind.id(context.getCurrentKey());
            if (due.value() == null || due.value() != at) {
                throw new IllegalStateException("a timer that was deleted: " + at + ", due " + due.value());
            }
            due.clear();
            out.collect(lanes.rising("timers", key, number.value()));
        }
    }
}
