package dev.drrs.runtime.task;

import dev.drrs.flink.GateAccess;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.UnionInputGate;
import org.apache.flink.runtime.taskmanager.InputGateWithMetrics;

/** Finds the gates behind Flink's wrappers. */
final class Gates {

    private Gates() {}

    /** The gate itself, or null if it is none of Flink's network stack. */
    static SingleInputGate unwrap(InputGate gate) {
        InputGate inner = gate;
        while (inner instanceof InputGateWithMetrics measured) {
            inner = GateAccess.measured(measured);
        }
        return inner instanceof SingleInputGate single ? single : null;
    }

    /**
     * What hangs at the gate or at those it unites, in the order of their channels; empty in a job
     * that is not elastic.
     */
    static List<ElasticInputGate> elastic(InputGate gate) {
        List<ElasticInputGate> found = new ArrayList<>();
        if (gate instanceof UnionInputGate union) {
            Map<?, ?> byIndex = GateAccess.united(union);
            Set<Integer> order = new LinkedHashSet<>();
            for (int i = 0; i < union.getNumberOfInputChannels(); i++) {
                InputChannelInfo info = union.getChannel(i).getChannelInfo();
                order.add(info.getGateIdx());
            }
            order.forEach(index -> found.addAll(elastic((InputGate) byIndex.get(index))));
            return found;
        }
        SingleInputGate single = unwrap(gate);
        ElasticInputGate elastic = single == null ? null : ElasticInputGate.of(single);
        return elastic == null ? List.of() : List.of(elastic);
    }
}
