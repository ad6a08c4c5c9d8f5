package dev.drrs.gateway.shapes;

import dev.drrs.gateway.shapes.EventSource.Split;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Splits as text, {@code index,next}; and text as such. */
final class SplitSerializers {

    static final SimpleVersionedSerializer<Split> ONE = new Text<>(SplitSerializers::text, SplitSerializers::split);

    static final SimpleVersionedSerializer<List<Split>> SEVERAL =
            new Text<>(
                    splits -> splits.stream().map(SplitSerializers::text).collect(Collectors.joining(";")),
                    text ->
                            Arrays.stream(text.split(";"))
                                    .filter(one -> !one.isEmpty())
                                    .map(SplitSerializers::split)
                                    .toList());

    static final SimpleVersionedSerializer<String> TEXT = new Text<>(text -> text, text -> text);

    private SplitSerializers() {}

    private static String text(Split split) {
        return split.index() + "," + split.next();
    }

    private static Split split(String text) {
        String[] parts = text.split(",");
        return new Split(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    private record Text<T>(Function<T, String> to, Function<String, T> from) implements SimpleVersionedSerializer<T> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(T object) {
            return to.apply(object).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public T deserialize(int version, byte[] bytes) {
            return from.apply(new String(bytes, StandardCharsets.UTF_8));
        }
    }
}
