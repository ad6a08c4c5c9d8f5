package dev.drrs.gateway.shapes;

import dev.drrs.gateway.shapes.EventSource.Split;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A bounded source whose splits belong to certain readers: so there is one order of what a reader emits of a split, and
 * no split without a reader.
 */
record EventSource(String job, int rate, boolean brief, Events events, int splits)
        implements Source<Event, Split, List<Split>> {

    /** A split, and the number of its next event. */
    record Split(int index, int next) implements SourceSplit {
        @Override
        public String splitId() {
            return Integer.toString(index);
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<Split, List<Split>> createEnumerator(SplitEnumeratorContext<Split> context) {
        List<Split> all = new ArrayList<>();
        for (int index = 0; index < splits; index++) {
            all.add(new Split(index, 0));
        }
        return new Assigner(context, all);
    }

    @Override
    public SplitEnumerator<Split, List<Split>> restoreEnumerator(
            SplitEnumeratorContext<Split> context, List<Split> left) {
        return new Assigner(context, left);
    }

    @Override
    public SourceReader<Event, Split> createReader(SourceReaderContext context) {
        return new EventReader(this);
    }

    @Override
    public SimpleVersionedSerializer<Split> getSplitSerializer() {
        return SplitSerializers.ONE;
    }

    @Override
    public SimpleVersionedSerializer<List<Split>> getEnumeratorCheckpointSerializer() {
        return SplitSerializers.SEVERAL;
    }

    /** Gives each split to the reader it belongs to. Thread of the source's coordinator. */
    private static final class Assigner implements SplitEnumerator<Split, List<Split>> {

        private final SplitEnumeratorContext<Split> context;
        private final List<Split> left;

        Assigner(SplitEnumeratorContext<Split> context, List<Split> left) {
            this.context = context;
            this.left = new ArrayList<>(left);
        }

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Split> splits, int subtask) {
            left.addAll(splits);
        }

        @Override
        public void addReader(int subtask) {
            List<Split> own =
                    left.stream().filter(one -> one.index() % context.currentParallelism() == subtask).toList();
            own.forEach(split -> context.assignSplit(split, subtask));
            left.removeAll((Collection<?>) own);
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public List<Split> snapshotState(long checkpoint) {
            return List.copyOf(left);
        }

        @Override
        public void close() {}
    }
}
