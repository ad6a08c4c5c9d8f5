package dev.drrs.runtime.role;

import dev.drrs.runtime.message.BeginRescale;
import dev.drrs.runtime.message.CloseSubpartition;
import dev.drrs.runtime.message.DiscardSubpartition;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.KeepEndOfData;
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

    /** Numbers under which the end is kept from others, so that a rescale may still begin. */
    private final Set<Integer> keepers = new HashSet<>();

    /** All has gone out, but for its end, which is kept or has been let go. */
    private boolean allSent;

    /** The data of this task have ended: it waits to say so, or has. */
    private boolean endWaits;

    /** Rescales and keepers that have let it go since. */
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
                .on(KeepEndOfData.class, (from, keep) -> keep(keep.rescale()))
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

    /** One whose end is kept already is past what it is kept for. */
    private void keep(int keeper) throws IOException {
        task.sendToCoordinator(new RescaleBegun(keeper, endWaits));
        if (!endWaits) {
            keepers.add(keeper);
            if (allSent) {
                task.sendToCoordinator(new EndOfDataWaits(keeper));
            }
        }
    }

    private void release(int rescale) {
        boolean waited = rescales.remove(rescale) && endWaits;
        if (keepers.remove(rescale) && allSent || waited) {
            released.add(rescale);
        }
    }

    /**
     * The end is the last that owners hear of this task: it waits here until no subscale is under
     * way that expects a signal of it. All records and watermarks have gone out. While it is kept
     * the data count as if they went on: a rescale may begin, and ends as ever.
     *
     * @param keep false if the job stops with its state: nothing of it ends
     */
    void beforeEndOfData(boolean keep) throws Exception {
        if (allSent) {
            return; // for another output
        }
        allSent = true;
        if (keep) {
            tellAndAwait(keepers);
        }
        endWaits = true;
        tellAndAwait(rescales);
        for (int rescale : released) {
            task.sendToCoordinator(new EndOfDataSent(rescale));
        }
    }

    private void tellAndAwait(Set<Integer> holding) throws Exception {
        for (int one : holding) {
            task.sendToCoordinator(new EndOfDataWaits(one));
        }
        while (!holding.isEmpty()) {
            task.yieldToMail();
        }
    }
}
