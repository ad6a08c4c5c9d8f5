package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Migration;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.Collection;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** A rescale as the REST port shows it. Main thread. */
final class StatusJson {

    private StatusJson() {}

    static String accepted(String requestId) {
        return JsonNodeFactory.instance.objectNode().put("request_id", requestId).toString();
    }

    static String all(Collection<RescaleRun> runs) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ArrayNode list = root.putArray("rescales");
        runs.forEach(run -> list.add(node(run)));
        return root.toString();
    }

    static String of(RescaleRun run) {
        return node(run).toString();
    }

    private static ObjectNode node(RescaleRun run) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        RescaleLifecycle lifecycle = run.lifecycle();
        Migration.Progress progress = run.progress();
        RescaleFigures figures = run.figures();
        List<Entered> phases = lifecycle.history();
        String reason = phases.get(phases.size() - 1).reason();
        node.put("request_id", run.order().requestId())
                .put("vertex_id", run.vertex().id().toString())
                .put("vertex_name", run.vertex().name())
                .put("phase", lifecycle.phase().name())
                .put("strategy", run.order().strategy())
                .put("cause", run.order().cause())
                .put("reason", reason)
                .put("from_parallelism", run.fromParallelism())
                .put("to_parallelism", run.order().parallelism())
                .put("min_key_groups", run.minKeyGroups());
        node.putObject("key_groups")
                .put("moved", progress.movedKeyGroups())
                .put("total", progress.totalKeyGroups());
        long estimated =
                estimate(figures.movedBytes(), figures.movedKeyGroups(), progress.totalKeyGroups());
        node.putObject("bytes").put("moved", figures.movedBytes()).put("total", estimated);
        node.putObject("subscales")
                .put("open", progress.open())
                .put("done", progress.done())
                .put("total", progress.total());
        long now = System.currentTimeMillis();
        long end = lifecycle.endedAt();
        long migrating = run.migratingSince();
        node.put(
                "eta_ms",
                end >= 0 || migrating < 0
                        ? null
                        : eta(
                                now - migrating,
                                figures.movedKeyGroups(),
                                progress.totalKeyGroups()));
        node.put("accepted_at", lifecycle.acceptedAt());
        node.put("ended_at", end < 0 ? null : end);
        node.put("duration_ms", (end < 0 ? now : end) - lifecycle.acceptedAt());
        ArrayNode list = node.putArray("phases");
        for (int i = 0; i < phases.size(); i++) {
            list.addObject()
                    .put("phase", phases.get(i).phase().name())
                    .put("at", phases.get(i).at())
                    .put("duration_ms", lifecycle.durationMs(i))
                    .put("reason", phases.get(i).reason());
        }
        node.putObject("records")
                .put("rerouted", progress.rerouted())
                .put("set_aside", progress.setAside());
        ObjectNode suspension = node.putObject("suspension_ms");
        figures.suspension()
                .forEach((subtask, millis) -> suspension.put(String.valueOf(subtask), millis));
        node.putObject("exchange")
                .put("bytes", figures.exchangeBytes())
                .put("busy_ms", figures.exchangeBusy())
                .put("probe_bytes_per_second", figures.probe());
        return node;
    }

    /** Total bytes if the key groups still to come are as large as those that came. */
    private static long estimate(long bytes, int keyGroups, int total) {
        return keyGroups == 0 ? 0 : Math.max(bytes, Math.round((double) bytes / keyGroups * total));
    }

    /** Time left if the rest goes as fast as what is done; null before anything is. */
    private static Long eta(long elapsed, int done, int total) {
        return done == 0 ? null : Math.max(0, elapsed * (total - done) / done);
    }
}
