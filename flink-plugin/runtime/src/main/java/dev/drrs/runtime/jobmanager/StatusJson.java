package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** A rescale as the REST port shows it. Main thread. */
final class StatusJson {

    private StatusJson() {}

    static String accepted(String requestId) {
        return JsonNodeFactory.instance.objectNode().put("request_id", requestId).toString();
    }

    static String all(Collection<ObjectNode> statuses) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ArrayNode list = root.putArray("rescales");
        statuses.forEach(list::add);
        return root.toString();
    }

    /**
     * The status with itself and its parts {@link Phase#FAILED} if they had not ended, since nobody
     * is left who goes on with them.
     */
    static ObjectNode end(ObjectNode status, String reason) {
        if (!Phase.valueOf(status.path("phase").asText()).isTerminal()) {
            fail(status, reason);
            status.path("parts").forEach(part -> end((ObjectNode) part, reason));
        }
        return status;
    }

    private static void fail(ObjectNode status, String reason) {
        long now = System.currentTimeMillis();
        status.put("phase", Phase.FAILED.name())
                .put("reason", reason)
                .put("ended_at", now)
                .put("duration_ms", now - status.path("accepted_at").asLong())
                .putNull("eta_ms");
        ArrayNode phases = (ArrayNode) status.path("phases");
        ObjectNode last = (ObjectNode) phases.get(phases.size() - 1);
        last.put("duration_ms", now - last.path("at").asLong());
        phases.addObject()
                .put("phase", Phase.FAILED.name())
                .put("at", now)
                .put("duration_ms", 0)
                .put("reason", reason);
    }

    /** A request for one operator is shown like its only part. */
    static ObjectNode node(Rescale rescale) {
        if (rescale.parts().size() == 1) {
            ObjectNode node = part(rescale, rescale.parts().get(0));
            node.putArray("parts");
            return node;
        }
        List<RescalePart> parts = rescale.parts();
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("request_id", rescale.requestId())
                .putNull("vertex_id")
                .put(
                        "vertex_name",
                        parts.stream()
                                .map(part -> part.vertex().name())
                                .collect(Collectors.joining(", ")));
        List<Entered> phases = Phases.of(rescale);
        head(node, rescale, rescale.phase(), phases);
        node.putNull("from_parallelism").putNull("to_parallelism");
        node.put("min_key_groups", sum(parts, RescalePart::minKeyGroups));
        node.putObject("key_groups")
                .put("moved", sum(parts, part -> part.progress().movedKeyGroups()))
                .put("total", sum(parts, part -> part.progress().totalKeyGroups()));
        node.putObject("bytes")
                .put("moved", sum(parts, part -> part.figures().movedBytes()))
                .put("total", sum(parts, StatusJson::bytes));
        node.putObject("subscales")
                .put("open", sum(parts, part -> part.progress().open()))
                .put("done", sum(parts, part -> part.progress().done()))
                .put("total", sum(parts, part -> part.progress().total()));
        node.putNull("eta_ms");
        times(node, rescale.acceptedAt(), phases);
        node.putObject("records")
                .put("rerouted", sum(parts, part -> part.progress().rerouted()))
                .put("set_aside", sum(parts, part -> part.progress().setAside()));
        node.putObject("suspension_ms");
        node.putObject("flush_ms");
        node.putObject("exchange")
                .put("bytes", sum(parts, part -> part.figures().exchangeBytes()))
                .put(
                        "busy_ms",
                        parts.stream()
                                .mapToLong(part -> part.figures().exchangeBusy())
                                .max()
                                .orElseThrow())
                .put("probe_bytes_per_second", 0);
        ArrayNode list = node.putArray("parts");
        parts.forEach(part -> list.add(part(rescale, part)));
        return node;
    }

    private static ObjectNode part(Rescale rescale, RescalePart part) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        Migration.Progress progress = part.progress();
        RescaleFigures figures = part.figures();
        List<Entered> phases = part.history();
        node.put("request_id", rescale.requestId())
                .put("vertex_id", part.vertex().id().toString())
                .put("vertex_name", part.vertex().name());
        head(node, rescale, part.phase(), phases);
        node.put("from_parallelism", part.fromParallelism())
                .put("to_parallelism", part.order().parallelism())
                .put("min_key_groups", part.minKeyGroups());
        node.putObject("key_groups")
                .put("moved", progress.movedKeyGroups())
                .put("total", progress.totalKeyGroups());
        node.putObject("bytes").put("moved", figures.movedBytes()).put("total", bytes(part));
        node.putObject("subscales")
                .put("open", progress.open())
                .put("done", progress.done())
                .put("total", progress.total());
        long migrating = part.migratingSince();
        node.put(
                "eta_ms",
                part.phase().isTerminal() || migrating < 0
                        ? null
                        : eta(
                                System.currentTimeMillis() - migrating,
                                figures.movedKeyGroups(),
                                progress.totalKeyGroups()));
        times(node, phases.get(0).at(), phases);
        node.putObject("records")
                .put("rerouted", progress.rerouted())
                .put("set_aside", progress.setAside());
        bySubtask(node.putObject("suspension_ms"), figures.suspension());
        bySubtask(node.putObject("flush_ms"), figures.flush());
        node.putObject("exchange")
                .put("bytes", figures.exchangeBytes())
                .put("busy_ms", figures.exchangeBusy())
                .put("probe_bytes_per_second", figures.probe());
        return node;
    }

    private static void bySubtask(ObjectNode node, Map<Integer, Long> millis) {
        millis.forEach((subtask, some) -> node.put(String.valueOf(subtask), some));
    }

    private static void head(ObjectNode node, Rescale rescale, Phase phase, List<Entered> phases) {
        node.put("phase", phase.name())
                .put("strategy", rescale.strategy())
                .put("cause", rescale.cause())
                .put("reason", Phases.end(phases).reason());
    }

    private static void times(ObjectNode node, long acceptedAt, List<Entered> phases) {
        long now = System.currentTimeMillis();
        long end = Phases.endedAt(phases);
        node.put("accepted_at", acceptedAt);
        node.put("ended_at", end < 0 ? null : end);
        node.put("duration_ms", (end < 0 ? now : end) - acceptedAt);
        ArrayNode list = node.putArray("phases");
        for (int i = 0; i < phases.size(); i++) {
            list.addObject()
                    .put("phase", phases.get(i).phase().name())
                    .put("at", phases.get(i).at())
                    .put("duration_ms", Phases.duration(phases, i, now))
                    .put("reason", phases.get(i).reason());
        }
    }

    private static long bytes(RescalePart part) {
        return estimate(
                part.figures().movedBytes(),
                part.figures().movedKeyGroups(),
                part.progress().totalKeyGroups());
    }

    private static long sum(List<RescalePart> parts, ToLongFunction<RescalePart> value) {
        return parts.stream().mapToLong(value).sum();
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
