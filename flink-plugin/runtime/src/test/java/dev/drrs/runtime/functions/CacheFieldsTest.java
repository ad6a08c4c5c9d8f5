package dev.drrs.runtime.functions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.api.KeyGroupListener;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.junit.jupiter.api.Test;

class CacheFieldsTest {

    private abstract static class Plain extends RichMapFunction<Long, Long> {
        @Override
        public Long map(Long n) {
            return n;
        }
    }

    private static final class Maps extends Plain {
        private transient Map<Long, Long> seen;
        private final Deque<Long> recent = new ArrayDeque<>();
        private transient long[] byHash;
        private long plain;
        private String text;

        @Override
        public void open(OpenContext context) {
            seen = new HashMap<>();
            byHash = new long[8];
            text = seen + " " + recent + plain + byHash.length;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Test
    void collectionsMapsAndArraysAreNamedWithTheirClass() {
        assertThat(CacheFields.warnings(new Maps(), false))
                .singleElement()
                .asString()
                .contains("Fields seen, recent, byHash of " + Maps.class.getName())
                .contains("dev.drrs.api.KeyGroupListener", "drrs.functions.reopen");
    }

    @Test
    void aFunctionThatIsOpenedAnewLosesThem() {
        assertThat(CacheFields.warnings(new Maps(), true)).isEmpty();
    }

    private static final class Shared extends Plain {
        private static final Map<Long, Long> ALL = new HashMap<>();

        @Override
        public Long map(Long n) {
            return ALL.getOrDefault(n, n);
        }
    }

    @Test
    void aStaticOneIsNamedEvenIfTheFunctionIsOpenedAnew() {
        for (boolean reopened : new boolean[] {false, true}) {
            assertThat(CacheFields.warnings(new Shared(), reopened))
                    .singleElement()
                    .asString()
                    .contains("Static field ALL of " + Shared.class.getName())
                    .doesNotContain("drrs.functions.reopen");
        }
    }

    private static class Base extends Plain {
        protected transient List<Long> inherited;
    }

    private static final class Derived extends Base {
        @Override
        public Long map(Long n) {
            return inherited == null ? n : inherited.get(0);
        }
    }

    @Test
    void thoseOfASuperclassAreNamedWithIt() {
        assertThat(CacheFields.warnings(new Derived(), false))
                .singleElement()
                .asString()
                .contains("inherited of " + Base.class.getName());
    }

    /** As Guava, Caffeine and JCache call theirs. */
    private interface LoadingCache<K, V> {
        V get(K key);
    }

    private static final class Named extends Plain {
        private transient LoadingCache<Long, Long> lookedUp;

        @Override
        public Long map(Long n) {
            return lookedUp.get(n);
        }
    }

    @Test
    void whatIsCalledACacheIsOne() {
        assertThat(CacheFields.warnings(new Named(), false))
                .singleElement()
                .asString()
                .contains("lookedUp");
    }

    private static final class Settings extends Plain {
        private static final List<String> NAMES = List.of("a");
        private static final Map<String, Long> CODES = new HashMap<>(Map.of("a", 1L));
        private final String[] columns = {"a", "b"};
        private final Set<Long> wanted = Set.of();
        private final List<Long> given = new ArrayList<>(List.of(1L));
        private final int[] none = {};
        private transient byte[] buffer;

        @Override
        public Long map(Long n) {
            buffer = new byte[columns.length + wanted.size() + given.size() + none.length];
            return n + NAMES.size() + CODES.size() + buffer.length;
        }
    }

    @Test
    void whatTheJobWasSubmittedWithIsASetting() {
        assertThat(CacheFields.warnings(new Settings(), false)).isEmpty();
    }

    private static final class States extends Plain {
        private transient ListState<Long> list;
        private transient MapState<Long, Long> map;
        private transient Map<String, ValueState<Long>> many;
        private transient List<ValueStateDescriptor<Long>> descriptors;
        private transient ValueState<Long>[] array;

        @Override
        public Long map(Long n) {
            return n + List.of(list, map, many, descriptors, array).size();
        }
    }

    @Test
    void stateOfFlinkIsNoCache() {
        assertThat(CacheFields.warnings(new States(), false)).isEmpty();
    }

    private static final class Listening extends Plain implements KeyGroupListener {
        private static final Map<Long, Long> ALL = new HashMap<>();
        private final transient Map<Long, Long> seen = new HashMap<>();

        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
            seen.keySet().removeIf(isAmong);
            ALL.keySet().removeIf(isAmong);
        }
    }

    @Test
    void aFunctionThatHearsOfKeyGroupsIsNotNamed() {
        assertThat(CacheFields.warnings(new Listening(), false)).isEmpty();
    }

    private interface SerializableMap extends MapFunction<Long, Long>, Serializable {}

    @Test
    void whatALambdaHasCapturedIsNamedIfItCanFill() {
        Map<Long, Long> seen = new HashMap<>();
        Map<Long, Long> settings = Map.of(1L, 2L);
        SerializableMap caching = n -> seen.merge(n, 1L, Long::sum);
        SerializableMap reading = n -> settings.getOrDefault(n, n);
        assertThat(CacheFields.warnings(caching, false)).hasSize(1);
        assertThat(CacheFields.warnings(reading, false)).isEmpty();
    }
}
