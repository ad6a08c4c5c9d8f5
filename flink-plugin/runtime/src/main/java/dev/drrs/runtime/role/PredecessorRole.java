package dev.drrs.runtime.role;

import dev.drrs.runtime.message.BeginRescale;
import dev.drrs.runtime.message.CloseSubpartition;
import dev.drrs.runtime.message.DiscardSubpartition;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OpenSubpartition;
import dev.drrs.runtime.message.ReleasePredecessor;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.RescaleBegun;
import dev.drrs.runtime.message.StopBroadcast;
import dev.drrs.runtime.message.SubpartitionOpened;
import dev.drrs.runtime.message.SubpartitionReset;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A task before an elastic vertex: opens and closes subpartitions, routes, sends the barriers, and
 * keeps its end of data back while somebody expects a signal of it. Mailbox thread only.
 */
final class PredecessorRole {

    private final ElasticTask task;

    /** Those that expect signals of this task. */
    private final Set<Integer> rescales = new HashSet<>();

    /** The data of this task have ended: it waits to say so, or has. */
    private boolean endWaits;

    /** Rescales that have let it go since. */
    private final List<Integer> released = new ArrayList<>();

    PredecessorRole(ElasticTask task) {
        this.task = task;
    }

    void register(Handlers<ElasticTask, Exception> ofCoordinator) {
        ofCoordinator
                .on(OpenSubpartition.class, (from, open) -> openSubpartition(open))
                .on(StopBroadcast.class, (from, stop) -> stopBroadcast(stop))
                .on(
                        DiscardSubpartition.class,
                        (from, discard) ->
                                task.output(discard.dataSetId()).discard(discard.subtask()))
                .on(Reroute.class, (from, reroute) -> reroute(reroute))
                .on(CloseSubpartition.class, (from, close) -> closeSubpartition(close))
                .on(BeginRescale.class, (from, begin) -> begin(begin.rescale()))
                .on(ReleasePredecessor.class, (from, release) -> release(release.rescale()));
    }

    private void openSubpartition(OpenSubpartition open) throws IOException {
        task.output(open.dataSetId()).open(open.subtask());
        task.sendToCoordinator(new SubpartitionOpened(open.dataSetId(), open.subtask()));
    }

    private void closeSubpartition(CloseSubpartition close) throws IOException {
        OutEdgeWriter output = task.output(close.dataSetId());
        output.close(close.subtask(), new EndOfChannel());
        output.reset(close.subtask())
                .thenRun(
                        () ->
                                task.executeIfRunning(
                                        () ->
                                                task.sendToCoordinator(
                                                        new SubpartitionReset(
                                                                close.dataSetId(),
                                                                close.subtask())),
                                        "subpartition is ready for another consumer"));
    }

    /**
     * One action: the new routing, then the signals behind the last record that went the old way.
     */
    private void reroute(Reroute reroute) throws IOException {
        for (String dataSetId : reroute.dataSetIds()) {
            OutEdgeWriter output = task.output(dataSetId);
            task.route(dataSetId, reroute.move().keyGroups(), reroute.move().newOwner());
            output.sendEvent(reroute.move().oldOwner(), new ConfirmBarrier(reroute.move().id()));
            output.sendEvent(reroute.move().newOwner(), new SwitchBarrier(reroute.move().id()));
        }
    }

    /** One action: all subtasks, new ones too, find the barrier at the same place. */
    private void stopBroadcast(StopBroadcast stop) throws IOException {
        for (String dataSetId : stop.dataSetIds()) {
            OutEdgeWriter output = task.output(dataSetId);
            for (int fresh : stop.fresh()) {
                output.open(fresh);
            }
            for (int i = 0; i < output.subpartitions(); i++) {
                if (!output.isDormant(i)) {
                    output.sendEvent(i, new BroadcastBarrier(stop.rescale()));
                }
            }
        }
    }

    /** One that waits to say its end already does not take part any more. */
    private void begin(int rescale) throws IOException {
        task.sendToCoordinator(new RescaleBegun(rescale, endWaits));
        if (!endWaits) {
            rescales.add(rescale);
        }
    }

    private void release(int rescale) {
        if (rescales.remove(rescale) && endWaits) {
            released.add(rescale);
        }
    }

    /**
     * The end is the last that owners hear of this task: it waits here until no subscale is under
     * way that expects a signal of it. All records and watermarks have gone out.
     */
    void beforeEndOfData() throws Exception {
        if (endWaits) {
            return; // for another output
        }
        endWaits = true;
        for (int rescale : rescales) {
            task.sendToCoordinator(new EndOfDataWaits(rescale));
        }
        while (!rescales.isEmpty()) {
            task.yieldToMail();
        }
        for (int rescale : released) {
            task.sendToCoordinator(new EndOfDataSent(rescale));
        }
    }
}
