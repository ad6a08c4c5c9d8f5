package dev.drrs.gateway.shapes;

import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;

/** Types of keys. A number gives a key, and a key its number. */
enum KeyKind implements Serializable {
    LONG(Types.LONG),
    INTEGER(Types.INT),
    STRING(Types.STRING),
    TUPLE(Types.TUPLE(Types.LONG, Types.STRING)),
    POJO(Types.POJO(PojoKey.class)),
    RECORD(TypeInformation.of(RecordKey.class)),
    /** Refused: the hash code of an enum differs from JVM to JVM. */
    ENUM(TypeInformation.of(EnumKey.class));

    private final TypeInformation<?> type;

    KeyKind(TypeInformation<?> type) {
        this.type = type;
    }

    static KeyKind of(String name) {
        return valueOf(name.toUpperCase(java.util.Locale.ROOT));
    }

    @SuppressWarnings("unchecked")
    TypeInformation<Object> type() {
        return (TypeInformation<Object>) type;
    }

    Object key(long id) {
        return switch (this) {
            case LONG -> id;
            case INTEGER -> (int) id;
            case STRING -> "key " + id;
            case TUPLE -> Tuple2.of(id, "t" + id % 3);
            case POJO -> new PojoKey(id);
            case RECORD -> new RecordKey(id, "r" + id);
            case ENUM -> new EnumKey(id, id % 2 == 0 ? Parity.EVEN : Parity.ODD);
        };
    }

    static long id(Object key) {
        if (key instanceof String text) {
            return Long.parseLong(text.substring("key ".length()));
        } else if (key instanceof Tuple2<?, ?> tuple) {
            return (Long) tuple.f0;
        } else if (key instanceof PojoKey pojo) {
            return pojo.id;
        } else if (key instanceof RecordKey one) {
            return one.id;
        } else if (key instanceof EnumKey one) {
            return one.id;
        }
        return ((Number) key).longValue();
    }

    KeySelector<Event, Object> ofEvents() {
        return event -> key(event.key);
    }

    KeySelector<Result, Object> ofResults() {
        return result -> key(result.key);
    }

    enum Parity {
        EVEN,
        ODD
    }

    /** A key of a class with a hash code of its own. */
    public static class PojoKey {
        public long id;
        public String text;

        public PojoKey() {}

        PojoKey(long id) {
            this.id = id;
            this.text = "p" + id;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof PojoKey key && key.id == id && key.text.equals(text);
        }

        @Override
        public int hashCode() {
            return Objects.hash(id, text);
        }
    }

    /** A key that is a record. */
    public record RecordKey(long id, String text) {}

    /** A key with an enum in it. */
    public record EnumKey(long id, Parity parity) {}
}
