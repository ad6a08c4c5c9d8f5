package dev.drrs.nexmark.query;

import dev.drrs.nexmark.types.ValueSerializer;
import dev.drrs.nexmark.types.ValueType;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The fields in their order. */
public final class WindowCountSerializer extends ValueSerializer<WindowCount> {

    static final WindowCountSerializer INSTANCE = new WindowCountSerializer();
    static final TypeInformation<WindowCount> TYPE = new ValueType<>(WindowCount.class, INSTANCE);

    @Override
    public void serialize(WindowCount count, DataOutputView target) throws IOException {
        target.writeLong(count.bids());
        target.writeLong(count.scheduleMs());
    }

    @Override
    public WindowCount deserialize(DataInputView source) throws IOException {
        return new WindowCount(source.readLong(), source.readLong());
    }

    @Override
    public TypeSerializerSnapshot<WindowCount> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Needed by Flink to find the serializer again in a savepoint. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<WindowCount> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
