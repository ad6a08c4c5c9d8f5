package dev.drrs.dist;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A running count whose state cannot travel: it is written, or read, in vain by the threads that
 * transfer key groups; checkpoints and restores work.
 */
final class PoisonState extends KeyedProcessFunction<Long, Tuple2<Long, Long>, String> {

    static final int KEYS = 100;

    private final TypeSerializer<Count> counts;
    private transient ValueState<Count> count;

    private PoisonState(TypeSerializer<Count> counts) {
        this.counts = counts;
    }

    /**
     * The operator is named "operator".
     *
     * @param written whether writing fails, with an Error; else reading, with an exception
     */
    static DataStream<String> of(DataStream<Tuple2<Long, Long>> numbers, boolean written) {
        return of(numbers, written ? new Unwritable() : new Unreadable());
    }

    /**
     * The same, with state that cannot be written anywhere, as a job without checkpoints may have.
     */
    static DataStream<String> neverWritten(DataStream<Tuple2<Long, Long>> numbers) {
        return of(numbers, new NeverWritten());
    }

    private static DataStream<String> of(
            DataStream<Tuple2<Long, Long>> numbers, TypeSerializer<Count> counts) {
        return numbers.keyBy(number -> number.f0 % KEYS, Types.LONG)
                .process(new PoisonState(counts))
                .name("operator")
                .uid("operator");
    }

    static String expected(long key, long count) {
        return key + ": " + count;
    }

    @Override
    public void open(OpenContext context) {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", counts));
    }

    @Override
    public void processElement(Tuple2<Long, Long> number, Context context, Collector<String> out)
            throws Exception {
        Count now = new Count();
        now.value = count.value() == null ? 1 : count.value().value + 1;
        count.update(now);
        out.collect(expected(context.getCurrentKey(), now.value));
    }

    /** The state. */
    public static final class Count implements Serializable {
        private static final long serialVersionUID = 1L;
        private long value;
    }

    private abstract static class Poison extends TypeSerializerSingleton<Count> {
        private static final long serialVersionUID = 1L;

        static boolean inThread(String prefix) {
            return Thread.currentThread().getName().startsWith(prefix);
        }

        @Override
        public boolean isImmutableType() {
            return true;
        }

        @Override
        public Count createInstance() {
            return new Count();
        }

        @Override
        public Count copy(Count from) {
            return from;
        }

        @Override
        public Count copy(Count from, Count reuse) {
            return from;
        }

        @Override
        public int getLength() {
            return Long.BYTES;
        }

        @Override
        public void serialize(Count record, DataOutputView target) throws IOException {
            target.writeLong(record.value);
        }

        @Override
        public Count deserialize(DataInputView source) throws IOException {
            Count count = new Count();
            count.value = source.readLong();
            return count;
        }

        @Override
        public Count deserialize(Count reuse, DataInputView source) throws IOException {
            return deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) throws IOException {
            target.writeLong(source.readLong());
        }
    }

    /** Cannot be read in a transfer. */
    public static final class Unreadable extends Poison {
        private static final long serialVersionUID = 1L;

        @Override
        public Count deserialize(DataInputView source) throws IOException {
            if (inThread("drrs-peer-reader")) {
                throw new IOException("poison to read");
            }
            return super.deserialize(source);
        }

        @Override
        public TypeSerializerSnapshot<Count> snapshotConfiguration() {
            return new UnreadableSnapshot();
        }
    }

    /** For Flink. */
    public static final class UnreadableSnapshot extends SimpleTypeSerializerSnapshot<Count> {
        public UnreadableSnapshot() {
            super(Unreadable::new);
        }
    }

    /** Cannot be written in a transfer. */
    public static final class Unwritable extends Poison {
        private static final long serialVersionUID = 1L;

        @Override
        public void serialize(Count record, DataOutputView target) throws IOException {
            if (inThread("drrs-transfer")) {
                throw new NoClassDefFoundError("poison to write");
            }
            super.serialize(record, target);
        }

        @Override
        public TypeSerializerSnapshot<Count> snapshotConfiguration() {
            return new UnwritableSnapshot();
        }
    }

    /** For Flink. */
    public static final class UnwritableSnapshot extends SimpleTypeSerializerSnapshot<Count> {
        public UnwritableSnapshot() {
            super(Unwritable::new);
        }
    }

    /** Cannot be written. */
    public static final class NeverWritten extends Poison {
        private static final long serialVersionUID = 1L;

        @Override
        public void serialize(Count record, DataOutputView target) {
            throw new IllegalStateException("poison to write");
        }

        @Override
        public TypeSerializerSnapshot<Count> snapshotConfiguration() {
            return new NeverWrittenSnapshot();
        }
    }

    /** For Flink. */
    public static final class NeverWrittenSnapshot extends SimpleTypeSerializerSnapshot<Count> {
        public NeverWrittenSnapshot() {
            super(NeverWritten::new);
        }
    }
}
