package dev.drrs.runtime.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.api.KeyGroupListener;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.junit.jupiter.api.Test;

class FunctionListenersTest {

    private static final int MAX_PARALLELISM = 16;

    /** Also made from a class loader that has the interface a second time. */
    public static final class Hearing
            implements MapFunction<Long, Long>, KeyGroupListener, Callable<List<String>> {
        private final List<String> heard = new ArrayList<>();

        @Override
        public Long map(Long n) {
            return n;
        }

        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {
            heard.add("leaving " + keyGroups.length + keys(isAmong));
        }

        @Override
        public void keyGroupsArrived(int[] keyGroups, Predicate<Object> isAmong) {
            heard.add("arrived " + keyGroups.length + keys(isAmong));
        }

        private static List<Integer> keys(Predicate<Object> isAmong) {
            return IntStream.range(0, 50).boxed().filter(isAmong::test).toList();
        }

        @Override
        public List<String> call() {
            return heard;
        }
    }

    private static final class Failing implements MapFunction<Long, Long>, KeyGroupListener {
        @Override
        public Long map(Long n) {
            return n;
        }

        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong)
                throws IOException {
            throw new IOException("the disk is full");
        }
    }

    private static List<Integer> keysOf(int... keyGroups) {
        return IntStream.range(0, 50)
                .filter(
                        key ->
                                IntStream.of(keyGroups)
                                        .anyMatch(
                                                group ->
                                                        group
                                                                == KeyGroupRangeAssignment
                                                                        .assignToKeyGroup(
                                                                                key,
                                                                                MAX_PARALLELISM)))
                .boxed()
                .toList();
    }

    private static FunctionListeners listeners(StreamOperator<?>... chain) {
        return new FunctionListeners(List.of(chain), MAX_PARALLELISM);
    }

    @Test
    void functionsOfAllOperatorsInTheChainAreToldTheKeysThatMove() throws Exception {
        Hearing first = new Hearing();
        Hearing second = new Hearing();
        FunctionListeners listeners =
                listeners(
                        new StreamMap<>(first),
                        new StreamMap<Long, Long>(n -> n),
                        new StreamMap<>(second));
        listeners.leaving(new int[] {3, 5});
        listeners.arrived(new int[] {7});
        assertThat(first.heard)
                .containsExactly("leaving 2" + keysOf(3, 5), "arrived 1" + keysOf(7));
        assertThat(second.heard).isEqualTo(first.heard);
        assertThat(keysOf(3, 5)).isNotEmpty();
    }

    @Test
    void anExceptionOfTheFunctionComesThrough() {
        assertThatThrownBy(() -> listeners(new StreamMap<>(new Failing())).leaving(new int[] {1}))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("the disk is full");
    }

    @Test
    void aChainWithoutListenersIsLeftAlone() throws Exception {
        listeners(new StreamMap<Long, Long>(n -> n)).leaving(new int[] {1});
        assertThat(FunctionListeners.isListener(Hearing.class)).isTrue();
        assertThat(FunctionListeners.isListener(KeyedProcessOperator.class)).isFalse();
    }

    /** As the class loader of a job whose jar contains the interface. */
    private static final class ChildFirst extends ClassLoader {
        ChildFirst() {
            super(FunctionListenersTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(KeyGroupListener.class.getName())
                    && !name.equals(Hearing.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try (InputStream file =
                    getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    @SuppressWarnings("unchecked") // of a class that this one does not know
    void aJobMayBringTheInterfaceInItsOwnClassLoader() throws Exception {
        Class<?> theirs = new ChildFirst().loadClass(Hearing.class.getName());
        assertThat(KeyGroupListener.class.isAssignableFrom(theirs)).isFalse();
        Object function = theirs.getConstructor().newInstance();
        listeners(new StreamMap<>((MapFunction<Long, Long>) function)).leaving(new int[] {3});
        assertThat(((Callable<List<String>>) function).call())
                .containsExactly("leaving 1" + keysOf(3));
    }
}
