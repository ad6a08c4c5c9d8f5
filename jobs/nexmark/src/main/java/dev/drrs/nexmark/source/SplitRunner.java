package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Preload;
import dev.drrs.nexmark.source.NexmarkSplit.Idleness;
import java.io.IOException;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/**
 * One split at work in a reader: knows its next action and when that is due. Used by the task's
 * thread only.
 */
final class SplitRunner {

    /**
     * After the last event of a held run every event-time timer fires; one below Flink's own end of
     * time.
     */
    static final Watermark ALL_TIME_PASSED = new Watermark(Long.MAX_VALUE - 1);

    private final int index;
    private final Feeds feeds;
    private final Pacing pacing;
    private final PreloadRange preload;
    private final long preloadCount;
    private final Feed feed;
    private final SourceOutput<ScheduledEvent> output;

    private long preloaded;
    private long epochMs;
    private Idleness idleness;
    private long lastWatermark = Long.MIN_VALUE;

    SplitRunner(
            NexmarkSplit split,
            Feeds feeds,
            Pacing pacing,
            PreloadRange preload,
            ReaderOutput<ScheduledEvent> output)
            throws IOException {
        this.index = split.index();
        this.feeds = feeds;
        this.pacing = pacing;
        this.preload = preload;
        this.preloadCount = preload.countOf(index, feeds.splits());
        this.preloaded = split.preloaded();
        this.epochMs = split.epochMs();
        this.idleness = pacing.idleSplits().contains(index) ? split.idleness() : Idleness.OVER;
        this.feed = feeds.open(split);
        this.output = output.createOutputForSplit(split.splitId());
        if (idleness == Idleness.IDLE) {
            this.output.markIdle();
        }
    }

    int index() {
        return index;
    }

    boolean preloading() {
        return preloaded < preloadCount;
    }

    void preloadNext() {
        long key = preload.key(index, feeds.splits(), preloaded);
        long timestamp = feeds.baseTimeMs();
        output.collect(
                new ScheduledEvent(ScheduledEvent.NONE, new Preload(key, timestamp)), timestamp);
        preloaded++;
    }

    boolean hasEpoch() {
        return epochMs != NexmarkSplit.NO_EPOCH;
    }

    void setEpoch(long epochMs) {
        this.epochMs = epochMs;
    }

    boolean ended() throws IOException {
        return feed.peek() == null;
    }

    /**
     * When the next action is due, ms after the start of the run. The split must not have ended.
     */
    long nextOffsetMs() throws IOException {
        return switch (idleness) {
            case AHEAD -> Math.min(feed.peek().offsetMs(), pacing.idleFromMs());
            case IDLE -> pacing.idleToMs() - Pacing.REJOIN_MARGIN_MS;
            case OVER -> feed.peek().offsetMs();
        };
    }

    /** The wall clock of {@link #nextOffsetMs}, epoch ms. */
    long nextDueMs() throws IOException {
        return epochMs + nextOffsetMs();
    }

    /** Whether the next action is an event that has to wait for something outside. */
    boolean isKeptBack() throws IOException {
        return idleness == Idleness.OVER && pacing.opening().keepsBack(feed.peek().number());
    }

    /** Emits the next event, or goes idle, or becomes active again. */
    void act() throws IOException {
        if (idleness == Idleness.IDLE) {
            rejoin();
        } else if (idleness == Idleness.AHEAD && feed.peek().offsetMs() >= pacing.idleFromMs()) {
            goIdle();
        } else {
            emit();
        }
    }

    private void emit() throws IOException {
        Event event = feed.peek();
        output.collect(new ScheduledEvent(epochMs + event.offsetMs(), event), event.timestamp());
        feed.advance();
        long watermark = feed.watermark();
        if (lastWatermark == Long.MIN_VALUE
                || watermark - lastWatermark >= pacing.watermarkIntervalMs()) {
            emitWatermark(watermark);
        }
    }

    private void goIdle() throws IOException {
        idleness = Idleness.IDLE;
        output.markIdle();
        while (!ended() && feed.peek().offsetMs() < pacing.idleToMs()) {
            feed.advance();
        }
    }

    private void rejoin() {
        idleness = Idleness.OVER;
        // A watermark, not markActive alone: only an advance makes an idle subtask active again
        // downstream.
        long reached = feeds.baseTimeMs() + pacing.idleToMs() - Pacing.REJOIN_MARGIN_MS - 1;
        emitWatermark(Math.min(reached, feed.watermark()));
    }

    private void emitWatermark(long timestamp) {
        if (timestamp > lastWatermark) {
            lastWatermark = timestamp;
            output.emitWatermark(new Watermark(timestamp));
        }
    }

    /** All event time has passed for this split, but the job stays. */
    void holdAtEnd() {
        output.emitWatermark(ALL_TIME_PASSED);
    }

    NexmarkSplit snapshot() {
        return new NexmarkSplit(
                index, preloaded, feed.position(), feed.byteOffset(), epochMs, idleness);
    }

    void close() throws IOException {
        feed.close();
    }
}
