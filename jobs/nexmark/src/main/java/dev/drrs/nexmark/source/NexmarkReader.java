package dev.drrs.nexmark.source;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/**
 * Merges its splits by schedule time. It never waits: with nothing due, a timer completes the
 * future that the task waits on. All methods run in the task's thread; the timer's thread only
 * completes futures.
 */
final class NexmarkReader implements SourceReader<ScheduledEvent, NexmarkSplit> {

    /**
     * A runner and when its next action is due; offsets are compared, for all splits of a run share
     * one epoch.
     */
    private record Turn(long offsetMs, SplitRunner runner) {}

    private final Feeds feeds;
    private final Pacing pacing;
    private final PreloadRange preload;
    private final Consumer<SourceEvent> toEnumerator;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "nexmark-source-timer");
                        thread.setDaemon(true);
                        return thread;
                    });

    /** Splits that came without the output they need; they start at the next poll. */
    private final List<NexmarkSplit> added = new ArrayList<>();

    private final List<SplitRunner> runners = new ArrayList<>();
    private final ArrayDeque<SplitRunner> preloading = new ArrayDeque<>();
    private final List<SplitRunner> waitingForEpoch = new ArrayList<>();
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(
                    Comparator.comparingLong(Turn::offsetMs)
                            .thenComparingInt(turn -> turn.runner().index()));

    /** Splits that watermark alignment has paused, and the turns that came up meanwhile. */
    private final Set<String> paused = new HashSet<>();

    private final List<Turn> held = new ArrayList<>();

    private CompletableFuture<Void> available = CompletableFuture.completedFuture(null);
    private boolean noMoreSplits;
    private boolean markedIdle;

    NexmarkReader(
            Feeds feeds, Pacing pacing, PreloadRange preload, Consumer<SourceEvent> toEnumerator) {
        this.feeds = feeds;
        this.pacing = pacing;
        this.preload = preload;
        this.toEnumerator = toEnumerator;
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<ScheduledEvent> output) throws IOException {
        if (!added.isEmpty()) {
            startAdded(output);
        }
        SplitRunner preloader = preloading.peek();
        if (preloader != null) {
            preloader.preloadNext();
            if (!preloader.preloading()) {
                preloading.remove();
                joinSchedule(preloader, output);
            }
            return InputStatus.MORE_AVAILABLE;
        }
        while (!turns.isEmpty() && isPaused(turns.peek())) {
            held.add(turns.remove());
        }
        Turn turn = turns.peek();
        if (turn == null) {
            return withoutTurn(output);
        }
        long aheadMs = pacing.aheadMs(turn.runner().nextDueMs(), turn.runner().nextOffsetMs());
        if (aheadMs > 0) {
            waitFor(aheadMs);
            return InputStatus.NOTHING_AVAILABLE;
        }
        if (turn.runner().isKeptBack()) {
            waitFor(Opening.POLL_MS);
            return InputStatus.NOTHING_AVAILABLE;
        }
        turns.remove();
        turn.runner().act();
        takeTurn(turn.runner(), output);
        return InputStatus.MORE_AVAILABLE;
    }

    /**
     * All outputs are made before the first event, so that no split's watermark runs ahead of one
     * still unknown.
     */
    private void startAdded(ReaderOutput<ScheduledEvent> output) throws IOException {
        List<SplitRunner> started = new ArrayList<>();
        for (NexmarkSplit split : added) {
            started.add(new SplitRunner(split, feeds, pacing, preload, output));
        }
        added.clear();
        runners.addAll(started);
        for (SplitRunner runner : started) {
            if (runner.preloading()) {
                preloading.add(runner);
            } else {
                joinSchedule(runner, output);
            }
        }
    }

    private void joinSchedule(SplitRunner runner, ReaderOutput<ScheduledEvent> output)
            throws IOException {
        if (runner.hasEpoch()) {
            takeTurn(runner, output);
        } else {
            waitingForEpoch.add(runner);
            toEnumerator.accept(new SplitReady(runner.index()));
        }
    }

    private void takeTurn(SplitRunner runner, ReaderOutput<ScheduledEvent> output)
            throws IOException {
        if (!runner.ended()) {
            turns.add(new Turn(runner.nextOffsetMs(), runner));
        } else if (pacing.hold()) {
            runner.holdAtEnd();
        } else {
            output.releaseOutputForSplit(Integer.toString(runner.index()));
        }
    }

    private InputStatus withoutTurn(ReaderOutput<ScheduledEvent> output) throws IOException {
        List<SplitRunner> startable =
                waitingForEpoch.stream().filter(SplitRunner::hasEpoch).toList();
        if (!startable.isEmpty()) {
            waitingForEpoch.removeAll(startable);
            for (SplitRunner runner : startable) {
                takeTurn(runner, output);
            }
            return InputStatus.MORE_AVAILABLE;
        }
        if (noMoreSplits && waitingForEpoch.isEmpty() && held.isEmpty()) {
            if (feeds.bounded() && !pacing.hold()) {
                return InputStatus.END_OF_INPUT;
            }
            if (runners.isEmpty() && !markedIdle) {
                // A subtask without a split must not hold back the others' watermarks.
                output.markIdle();
                markedIdle = true;
            }
        }
        available = new CompletableFuture<>();
        return InputStatus.NOTHING_AVAILABLE;
    }

    private boolean isPaused(Turn turn) {
        return paused.contains(Integer.toString(turn.runner().index()));
    }

    @Override
    public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
        paused.addAll(toPause);
        paused.removeAll(toResume);
        for (Turn turn : List.copyOf(held)) {
            if (!isPaused(turn)) {
                held.remove(turn);
                turns.add(turn);
            }
        }
        available.complete(null);
    }

    private void waitFor(long delayMs) {
        CompletableFuture<Void> due = new CompletableFuture<>();
        available = due;
        timer.schedule(() -> due.complete(null), delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<NexmarkSplit> splits) {
        added.addAll(splits);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        available.complete(null);
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        long epochMs = ((EpochSet) event).epochMs();
        for (SplitRunner runner : waitingForEpoch) {
            runner.setEpoch(epochMs);
        }
        available.complete(null);
    }

    @Override
    public List<NexmarkSplit> snapshotState(long checkpointId) {
        List<NexmarkSplit> splits = new ArrayList<>(added);
        for (SplitRunner runner : runners) {
            splits.add(runner.snapshot());
        }
        return splits;
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        for (SplitRunner runner : runners) {
            runner.close();
        }
    }
}
