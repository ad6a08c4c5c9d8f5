package dev.drrs.runtime.role;

import dev.drrs.protocol.ResultOrder;
import dev.drrs.runtime.message.ConsumerAligned;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ResultsPassed;
import dev.drrs.runtime.task.ElasticTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;

/**
 * A task behind an elastic vertex that does not scale together with it: results of an old owner are
 * taken before those of the new one (rule R6), and the channel of a new owner holds event time when
 * it asks for it. What has passed is told to the coordinator in batches. Mailbox thread only.
 */
final class ConsumedResults {

    private final ElasticTask task;
    private final Map<Integer, ResultOrder> orderOf = new HashMap<>();
    private final List<Integer> passed = new ArrayList<>();

    ConsumedResults(ElasticTask task) {
        this.task = task;
    }

    void register(Handlers<Arrival, Exception> inBand) {
        inBand.on(ResultsEnd.class, (at, end) -> order(at.info()).onEnd(end.subscale()))
                .on(ResultsBegin.class, (at, begin) -> onBegin(at.info(), begin))
                .on(AlignBarrier.class, this::onAlign)
                .on(WriteOutSignal.class, (at, signal) -> {}); // for those that retire with it
    }

    private void onBegin(InputChannelInfo channel, ResultsBegin begin) {
        order(channel).onBegin(channel.getInputChannelIdx(), begin.subscale());
    }

    private void onAlign(Arrival at, AlignBarrier align) throws Exception {
        long clock = at.input().eventTime().align(at.channel());
        task.sendToCoordinator(new ConsumerAligned(align.subscale(), clock));
    }

    private ResultOrder order(InputChannelInfo channel) {
        return orderOf.computeIfAbsent(
                channel.getGateIdx(),
                index -> new ResultOrder(new GateHold(task.gate(index), this::passed)));
    }

    private void tell() throws Exception {
        int[] subscales = passed.stream().mapToInt(Integer::intValue).toArray();
        passed.clear();
        task.sendToCoordinator(new ResultsPassed(subscales));
    }

    private void passed(int subscale) {
        passed.add(subscale);
        if (passed.size() == 1) { // what passes until the mail has its turn goes with it
            task.executeIfRunning(this::tell, "results have passed");
        }
    }
}
