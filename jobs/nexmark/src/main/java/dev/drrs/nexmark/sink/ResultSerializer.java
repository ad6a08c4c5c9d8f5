package dev.drrs.nexmark.sink;

import dev.drrs.nexmark.types.ValueSerializer;
import dev.drrs.nexmark.types.ValueType;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The fields in their order. */
public final class ResultSerializer extends ValueSerializer<Result> {

    public static final ResultSerializer INSTANCE = new ResultSerializer();
    public static final TypeInformation<Result> TYPE = new ValueType<>(Result.class, INSTANCE);

    @Override
    public void serialize(Result result, DataOutputView target) throws IOException {
        target.writeUTF(result.json());
        target.writeUTF(result.key());
        target.writeLong(result.scheduleMs());
        target.writeLong(result.n());
    }

    @Override
    public Result deserialize(DataInputView source) throws IOException {
        return new Result(source.readUTF(), source.readUTF(), source.readLong(), source.readLong());
    }

    @Override
    public TypeSerializerSnapshot<Result> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Needed by Flink to find the serializer again in a savepoint. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Result> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
