package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Workload;
import java.io.IOException;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Emits a workload on its schedule: no event before its time, and all that are overdue as fast as
 * downstream takes them.
 *
 * <p>It sets timestamps and emits watermarks per split itself; use it with {@code
 * WatermarkStrategy.noWatermarks()}.
 */
public final class NexmarkSource implements Source<ScheduledEvent, NexmarkSplit, EnumeratorState> {

    private final Feeds feeds;
    private final Pacing pacing;
    private final PreloadRange preload;

    private NexmarkSource(Feeds feeds, Pacing pacing, PreloadRange preload) {
        this.feeds = feeds;
        this.pacing = pacing;
        this.preload = preload;
    }

    /** A source that makes its events. */
    public static NexmarkSource generating(Workload workload, Pacing pacing, PreloadRange preload) {
        return new NexmarkSource(new GeneratorFeeds(workload), pacing, preload);
    }

    /**
     * A source that reads a replay data set.
     *
     * @param preload overrides what the manifest says unless it is empty
     * @param limit at most this many events altogether; 0 = all
     * @throws IOException if the manifest cannot be read here
     */
    public static NexmarkSource replaying(
            String directory,
            long baseTimeMs,
            long outOfOrdernessMs,
            long limit,
            Pacing pacing,
            PreloadRange preload)
            throws IOException {
        ReplayManifest manifest = ReplayManifest.read(new Path(directory));
        long limitPerPart = (limit + manifest.parts() - 1) / manifest.parts();
        return new NexmarkSource(
                new ReplayFeeds(
                        directory, manifest.parts(), baseTimeMs, outOfOrdernessMs, limitPerPart),
                pacing,
                preload.count() > 0
                        ? preload
                        : new PreloadRange(preload.firstKey(), manifest.preloadKeys()));
    }

    /** For how many keys the source asks for state before the run. */
    public long preloadKeys() {
        return preload.count();
    }

    @Override
    public Boundedness getBoundedness() {
        return feeds.bounded() && !pacing.hold()
                ? Boundedness.BOUNDED
                : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<NexmarkSplit, EnumeratorState> createEnumerator(
            SplitEnumeratorContext<NexmarkSplit> context) {
        return NexmarkEnumerator.fresh(context, pacing, feeds.splits());
    }

    @Override
    public SplitEnumerator<NexmarkSplit, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<NexmarkSplit> context, EnumeratorState checkpoint) {
        return NexmarkEnumerator.restored(context, pacing, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<NexmarkSplit> getSplitSerializer() {
        return NexmarkSplitSerializer.INSTANCE;
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return new EnumeratorStateSerializer();
    }

    @Override
    public SourceReader<ScheduledEvent, NexmarkSplit> createReader(SourceReaderContext context) {
        return new NexmarkReader(feeds, pacing, preload, context::sendSourceEventToCoordinator);
    }
}
