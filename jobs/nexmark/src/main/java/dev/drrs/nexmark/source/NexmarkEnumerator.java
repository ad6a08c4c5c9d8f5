package dev.drrs.nexmark.source;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Gives split i to reader i mod parallelism, and starts the schedule once every split has done its
 * preload events. Runs in the coordinator's thread.
 */
final class NexmarkEnumerator implements SplitEnumerator<NexmarkSplit, EnumeratorState> {

    private final SplitEnumeratorContext<NexmarkSplit> context;
    private final Pacing pacing;
    private final int splits;
    private final TreeMap<Integer, NexmarkSplit> unassigned = new TreeMap<>();

    /** Not part of a checkpoint: splits that still wait say so again after a restore. */
    private final BitSet ready = new BitSet();

    private long epochMs;

    /** The source has said that it works off a backlog, and not that this is over. */
    private boolean backlog;

    private NexmarkEnumerator(
            SplitEnumeratorContext<NexmarkSplit> context, Pacing pacing, EnumeratorState state) {
        this.context = context;
        this.pacing = pacing;
        this.splits = state.splits();
        this.epochMs = state.epochMs();
        state.unassigned().forEach(split -> unassigned.put(split.index(), split));
    }

    static NexmarkEnumerator fresh(
            SplitEnumeratorContext<NexmarkSplit> context, Pacing pacing, int splits) {
        List<NexmarkSplit> all = IntStream.range(0, splits).mapToObj(NexmarkSplit::fresh).toList();
        return new NexmarkEnumerator(
                context, pacing, new EnumeratorState(splits, all, NexmarkSplit.NO_EPOCH));
    }

    static NexmarkEnumerator restored(
            SplitEnumeratorContext<NexmarkSplit> context, Pacing pacing, EnumeratorState state) {
        return new NexmarkEnumerator(context, pacing, state);
    }

    @Override
    public void start() {
        if (pacing.opening().backlog()) {
            backlog = true;
            context.setIsProcessingBacklog(true);
            context.callAsync(
                    () -> !pacing.opening().isOpen(),
                    this::endBacklog,
                    Opening.POLL_MS,
                    Opening.POLL_MS);
        }
    }

    private void endBacklog(boolean goesOn, Throwable failure) {
        if (failure != null) {
            throw new IllegalStateException("The opening file cannot be looked for", failure);
        }
        if (backlog && !goesOn) { // said once: each time goes to all tasks
            backlog = false;
            context.setIsProcessingBacklog(false);
        }
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        throw new UnsupportedOperationException("Readers get their splits without asking");
    }

    @Override
    public void addReader(int subtask) {
        int parallelism = context.currentParallelism();
        Iterator<NexmarkSplit> candidates = unassigned.values().iterator();
        while (candidates.hasNext()) {
            NexmarkSplit split = candidates.next();
            if (split.index() % parallelism == subtask) {
                context.assignSplit(split, subtask);
                candidates.remove();
            }
        }
        context.signalNoMoreSplits(subtask);
    }

    @Override
    public void addSplitsBack(List<NexmarkSplit> returned, int subtask) {
        returned.forEach(split -> unassigned.put(split.index(), split));
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        ready.set(((SplitReady) event).index());
        if (epochMs != NexmarkSplit.NO_EPOCH) {
            context.sendEventToSourceReader(subtask, new EpochSet(epochMs));
        } else if (ready.cardinality() == splits) {
            epochMs =
                    Math.max(pacing.epochMs(), System.currentTimeMillis() + pacing.startDelayMs());
            Set<Integer> readers = new HashSet<>(context.registeredReaders().keySet());
            readers.forEach(
                    reader -> context.sendEventToSourceReader(reader, new EpochSet(epochMs)));
        }
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        return new EnumeratorState(splits, List.copyOf(unassigned.values()), epochMs);
    }

    @Override
    public void close() {}
}
