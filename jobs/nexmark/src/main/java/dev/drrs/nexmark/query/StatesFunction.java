package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Every kind of keyed state, with and without TTL, one that is registered while the job runs, and
 * timers of both kinds. Its output per bid is a digest of all the key's states.
 */
final class StatesFunction extends KeyedProcessFunction<Long, ScheduledEvent, Result> {

    /**
     * The late state is registered when a key of the subtask has its n-th bid, and counts the key's
     * bids from there.
     */
    static final long LATE_FROM = 5;

    /** No test runs so long: expiry would make results depend on the clock. */
    private static final Duration TTL = Duration.ofDays(1);

    private final ServiceTime service;
    private final Ballast ballast;
    private final KeyTimers timers = new KeyTimers();

    private transient StateKinds plain;
    private transient StateKinds expiring;
    private transient ValueState<Long> late;

    StatesFunction(ServiceTime service, Ballast ballast) {
        this.service = service;
        this.ballast = ballast;
    }

    @Override
    public void open(OpenContext context) {
        plain = new StateKinds(getRuntimeContext(), "plain-", null);
        expiring =
                new StateKinds(getRuntimeContext(), "ttl-", StateTtlConfig.newBuilder(TTL).build());
        ballast.open(getRuntimeContext());
        timers.open(getRuntimeContext());
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        long key = context.getCurrentKey();
        if (event.isPreload()) {
            ballast.preload(key);
            return;
        }
        service.serve(event, key);
        long n = plain.add(event.bid());
        ballast.use(key, n == 1);
        expiring.add(event.bid());
        timers.onEvent(event.bid().timestamp(), context.timerService());
        long digest =
                Digest.fold(expiring.fold(plain.fold(Digest.START)), n < LATE_FROM ? 0 : addLate());
        String json = Json.of("states").put("key", key).put("n", n).put("digest", digest).end();
        out.collect(new Result(json, Long.toString(key), event.scheduleMs(), n));
    }

    private long addLate() throws Exception {
        if (late == null) {
            late = getRuntimeContext().getState(new ValueStateDescriptor<>("late", Types.LONG));
        }
        long n = (late.value() == null ? 0 : late.value()) + 1;
        late.update(n);
        return n;
    }

    @Override
    public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
        out.collect(
                timers.onTimer(
                        context.getCurrentKey(), at, context.timeDomain(), context.timerService()));
    }
}
