package dev.drrs.runtime.rescale;

import dev.drrs.protocol.ResultOrder;
import dev.drrs.runtime.message.ResultsPassed;
import dev.drrs.runtime.task.ElasticTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;

/**
 * The input gates of a task behind an elastic vertex: results of an old owner are taken before
 * those of the new one (rule R6). What has passed is told to the coordinator in batches. Mailbox
 * thread only.
 */
final class ConsumedResults {

    private final ElasticTask task;
    private final Map<Integer, ResultOrder> orderOf = new HashMap<>();
    private final List<Integer> passed = new ArrayList<>();

    ConsumedResults(ElasticTask task) {
        this.task = task;
    }

    void onEnd(InputChannelInfo channel, ResultsEnd end) {
        order(channel).onEnd(end.subscale());
    }

    void onBegin(InputChannelInfo channel, ResultsBegin begin) {
        order(channel).onBegin(channel.getInputChannelIdx(), begin.subscale());
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
