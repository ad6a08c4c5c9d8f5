package dev.drrs.runtime.unstablekeys;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UnstableHashTest {

    /** The constant has a body, and so a class of its own. */
    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "green";
            }
        }
    }

    record Stable(String name, int size, UUID id, LocalDate day) {}

    record WithEnum(String name, Color color) {}

    record WithArray(byte[] bytes) {}

    record WithList(List<Color> colors) {}

    record ByName(Color color, byte[] bytes) {
        @Override
        public int hashCode() {
            return 31 * (color == null ? 0 : color.name().hashCode()) + Arrays.hashCode(bytes);
        }
    }

    /** A POJO for Flink. */
    public static class Pojo {
        public String name;
        public Color color;

        @Override
        public boolean equals(Object other) {
            return other instanceof Pojo p && name.equals(p.name) && color == p.color;
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, color);
        }
    }

    /** The enum takes no part in the hash code. */
    public static class NameOnly {
        public String name;
        public Color color;

        @Override
        public boolean equals(Object other) {
            return other instanceof NameOnly n && name.equals(n.name) && color == n.color;
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    /** As Lombok writes it. */
    public static class ByGetter {
        private Color color = Color.RED;

        public Color getColor() {
            return color;
        }

        public void setColor(Color color) {
            this.color = color;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ByGetter b && color == b.color;
        }

        @Override
        public int hashCode() {
            Object $color = this.getColor();
            return 59 + ($color == null ? 43 : $color.hashCode());
        }
    }

    /** Takes over what its superclass computes. */
    public static class Derived extends Pojo {
        public int size;

        @Override
        public boolean equals(Object other) {
            return super.equals(other) && other instanceof Derived d && size == d.size;
        }

        @Override
        public int hashCode() {
            return 31 * super.hashCode() + size;
        }
    }

    static final class Identity {
        final int number = 1;
    }

    static List<TypeInformation<?>> unstable() {
        return List.of(
                Types.ENUM(Color.class),
                Types.PRIMITIVE_ARRAY(Types.BYTE),
                Types.OBJECT_ARRAY(Types.STRING),
                Types.TUPLE(Types.STRING, Types.ENUM(Color.class)),
                Types.TUPLE(Types.STRING, Types.PRIMITIVE_ARRAY(Types.LONG)),
                Types.LIST(Types.ENUM(Color.class)),
                Types.MAP(Types.STRING, Types.ENUM(Color.class)),
                Types.ROW(Types.STRING, Types.ENUM(Color.class)),
                Types.ROW(Types.STRING, Types.OBJECT_ARRAY(Types.ENUM(Color.class))),
                TypeInformation.of(WithEnum.class),
                TypeInformation.of(WithArray.class),
                TypeInformation.of(WithList.class),
                TypeInformation.of(Pojo.class),
                TypeInformation.of(Derived.class),
                TypeInformation.of(ByGetter.class),
                TypeInformation.of(Identity.class),
                TypeInformation.of(new TypeHint<Tuple2<Integer, WithEnum>>() {}));
    }

    static List<TypeInformation<?>> stable() {
        return List.of(
                Types.STRING,
                Types.LONG,
                Types.BIG_DEC,
                Types.INSTANT,
                Types.LOCAL_DATE,
                Types.SQL_TIMESTAMP,
                Types.TUPLE(Types.STRING, Types.INT),
                Types.LIST(Types.STRING),
                Types.ROW(Types.STRING, Types.PRIMITIVE_ARRAY(Types.BYTE)),
                Types.ROW(Types.OBJECT_ARRAY(Types.STRING)),
                TypeInformation.of(UUID.class),
                TypeInformation.of(Stable.class),
                TypeInformation.of(ByName.class),
                TypeInformation.of(NameOnly.class),
                TypeInformation.of(Object.class));
    }

    static List<Object> unstableValues() {
        Derived derived = new Derived();
        derived.color = Color.RED;
        return List.of(
                Color.RED,
                Color.GREEN,
                new int[1],
                new Identity(),
                Tuple2.of(1, Color.GREEN),
                List.of("a", List.of(Color.RED)),
                Map.of(Color.RED, 1),
                EnumSet.of(Color.RED),
                Optional.of(Color.RED),
                Row.of("a", Color.RED),
                Row.of(List.of("a"), new Object[] {Color.RED}),
                new WithEnum("a", Color.RED),
                new WithArray(new byte[1]),
                new WithList(List.of(Color.RED)),
                new ByGetter(),
                derived);
    }

    static List<Object> stableValues() {
        NameOnly nameOnly = new NameOnly();
        nameOnly.color = Color.RED;
        return List.of(
                "a",
                1L,
                Instant.EPOCH,
                UUID.randomUUID(),
                Tuple2.of(1, "a"),
                List.of(1, 2),
                Row.of(new byte[1], new String[] {"a"}, 1),
                new Stable("a", 1, UUID.randomUUID(), LocalDate.EPOCH),
                new ByName(Color.RED, new byte[1]),
                nameOnly,
                new WithList(List.of()));
    }

    @ParameterizedTest
    @MethodSource("unstable")
    void isFoundInTheType(TypeInformation<?> type) {
        assertThat(inType(type)).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("stable")
    void isNotFoundInAStableType(TypeInformation<?> type) {
        assertThat(inType(type)).isNull();
    }

    @ParameterizedTest
    @MethodSource("unstableValues")
    void isFoundInAKey(Object key) {
        assertThat(UnstableHash.inValue(key)).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("stableValues")
    void isNotFoundInAStableKey(Object key) {
        assertThat(UnstableHash.inValue(key)).isNull();
    }

    @Test
    void thePartAndWhatToDoAreNamed() {
        assertThat(inType(TypeInformation.of(WithEnum.class)))
                .isEqualTo(
                        "field color: enum Color has another hash code in each JVM;"
                                + " use its name() instead");
        assertThat(inType(Types.TUPLE(Types.STRING, Types.PRIMITIVE_ARRAY(Types.BYTE))))
                .isEqualTo(
                        "part 2: array byte[] has a hash code of its own for each object;"
                                + " use a list or a string instead");
        assertThat(UnstableHash.inValue(Color.GREEN)).contains("enum Color");
    }

    private static String inType(TypeInformation<?> type) {
        return UnstableHash.inType(type.createSerializer(new SerializerConfigImpl()));
    }
}
