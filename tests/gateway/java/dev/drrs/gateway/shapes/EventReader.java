package dev.drrs.gateway.shapes;

import dev.drrs.gateway.shapes.EventSource.Split;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/**
 * Emits the events of its splits in turn. Until the job is released they come more and more slowly and the last one of each split not at
 * all: so there are events, and the job runs, however long a test takes. Then the end waits until the test wants it. Task
 * thread.
 */
final class EventReader implements SourceReader<Event, Split> {

    private final EventSource source;
    private final Gates gates;
    private final Deque<Split> splits = new ArrayDeque<>();
    private final List<Split> done = new ArrayList<>();

    private boolean complete;
    private long dueNanos;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    EventReader(EventSource source) {
        this.source = source;
        this.gates = Gates.of(source.job());
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<Event> output) {
        if (!complete) {
            // Event time is that of the slowest split, so all have to be there.
            return InputStatus.NOTHING_AVAILABLE;
        } else if (splits.isEmpty()) {
            return source.brief() ? InputStatus.END_OF_INPUT : endWhenWanted();
        }
        boolean released = gates.released().isDone();
        long wait = dueNanos - System.nanoTime();
        if (!released && wait > 0) {
            available = CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(wait, TimeUnit.NANOSECONDS));
            available = CompletableFuture.anyOf(available, gates.released()).thenAccept(unused -> {});
            return InputStatus.NOTHING_AVAILABLE;
        }
        for (int i = splits.size(); i > 0; i--) {
            Split split = splits.remove();
            if (released || !waits(split)) {
                emit(split, output);
                return InputStatus.MORE_AVAILABLE;
            }
            splits.add(split);
        }
        available = gates.released().thenAccept(unused -> {});
        return InputStatus.NOTHING_AVAILABLE;
    }

    private InputStatus endWhenWanted() {
        available = gates.ending().thenAccept(unused -> {});
        return available.isDone() ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }

    private boolean waits(Split split) {
        int silentAfter = source.events().silentAfter(split.index());
        boolean silent = silentAfter >= 0 && split.next() > silentAfter;
        return silent || !source.brief() && split.next() == source.events().count() - 1;
    }

    private void emit(Split split, ReaderOutput<Event> output) {
        Event event = source.events().event(split.index(), split.next());
        output.createOutputForSplit(split.splitId()).collect(event, event.ts);
        int count = source.events().count();
        Split next = new Split(split.index(), split.next() + 1);
        if (next.next() < count) {
            splits.add(next);
        } else {
            output.releaseOutputForSplit(split.splitId());
            done.add(next);
        }
        long nanos = TimeUnit.SECONDS.toNanos(1) / source.rate();
        dueNanos = Math.max(dueNanos, System.nanoTime() - nanos) + nanos * count / (count - split.next());
    }

    @Override
    public List<Split> snapshotState(long checkpoint) {
        List<Split> all = new ArrayList<>(splits);
        all.addAll(done);
        return all;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<Split> added) {
        for (Split split : added) {
            (split.next() < source.events().count() ? splits : done).add(split);
        }
    }

    @Override
    public void notifyNoMoreSplits() {
        complete = true;
        available.complete(null);
    }

    @Override
    public void close() {}
}
