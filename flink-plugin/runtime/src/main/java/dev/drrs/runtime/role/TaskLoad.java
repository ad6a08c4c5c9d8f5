package dev.drrs.runtime.role;

import dev.drrs.runtime.message.LoadReport;
import dev.drrs.runtime.message.RoutedRecords;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.util.ArrayList;
import java.util.List;

/** What a task knows of the load of key groups. Mailbox thread only. */
final class TaskLoad {

    private TaskLoad() {}

    /**
     * @param sizes of its own state; null if it has none that can be told
     */
    static LoadReport of(ElasticTask task, long request, StateSizes sizes) {
        List<RoutedRecords> routed = routed(task);
        if (sizes == null) {
            return new LoadReport(request, routed, null, null);
        }
        long[] entries = new long[task.info().self().maxParallelism()];
        long[] bytes = new long[entries.length];
        for (int i = 0; i < sizes.numberOfKeyGroups(); i++) {
            int keyGroup = sizes.firstKeyGroup() + i;
            entries[keyGroup] = sizes.entries(keyGroup);
            bytes[keyGroup] = sizes.bytes(keyGroup);
        }
        return new LoadReport(request, routed, entries, bytes);
    }

    private static List<RoutedRecords> routed(ElasticTask task) {
        List<RoutedRecords> routed = new ArrayList<>();
        for (OutEdgeWriter output : task.outputs()) {
            if (output.routing() != null) {
                routed.add(
                        new RoutedRecords(
                                output.edge().consumerVertexId(),
                                output.routing().records().clone()));
            }
        }
        return routed;
    }
}
