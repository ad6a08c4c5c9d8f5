package dev.drrs.runtime.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.KeyBin;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.PriorityComparator;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A subscale of one key group whose timers come in bins. */
class SplitTimerQueueTest {

    private static final int SUBSCALE = 7;
    private static final int KEYS = 1_000;
    private static final KeyBin BIN = new KeyBin(3, 8);

    private int hashes;

    private final SplitTimerQueue<Key, String> queue =
            new SplitTimerQueue<>(
                    new HeapPriorityQueueSet<>(
                            PriorityComparator.forPriorityComparableObjects(),
                            KeyExtractorFunction.forKeyedObjects(),
                            16,
                            KeyGroupRange.of(0, 0),
                            1),
                    1);

    @BeforeEach
    void open() {
        queue.open(SUBSCALE, new int[] {0});
    }

    /** Whoever wants its bin or its place in a map asks for the hash code. */
    private final class Key {
        final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            hashes++;
            return number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.number == number;
        }
    }

    private TimerHeapInternalTimer<Key, String> timer(long time, int key) {
        return new TimerHeapInternalTimer<>(time, new Key(key), "");
    }

    private IntStream keys(boolean ofBin) {
        return IntStream.range(0, KEYS).filter(key -> BIN.has(key) == ofBin);
    }

    private List<Long> pollAll() {
        List<Long> times = new ArrayList<>();
        while (!queue.isEmpty()) {
            times.add(queue.poll().getTimestamp());
        }
        return times;
    }

    @Test
    void aBinWithoutDueTimersCostsNothingHoweverManyThereAre() {
        IntStream.range(0, KEYS).forEach(key -> queue.add(timer(100, key)));
        hashes = 0;
        queue.showAlone(0, BIN, 99);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll()).isNull();
        queue.showMain();
        assertThat(hashes).isZero();
    }

    @Test
    void aBinWithDueTimersCostsWhatIsDue() {
        IntStream.range(0, KEYS).forEach(key -> queue.add(timer(100, key)));
        int inBin = keys(true).findFirst().getAsInt();
        queue.add(timer(50, inBin));
        hashes = 0;
        queue.showAlone(0, BIN, 99);
        assertThat(pollAll()).containsExactly(50L);
        queue.showMain();
        assertThat(hashes).isPositive().isLessThan(20);
    }

    @Test
    void dueTimersOfTheBinComeInTheirOrderAndAllOthersStay() {
        keys(false).forEach(key -> queue.add(timer(key, key)));
        int[] inBin = keys(true).limit(3).toArray();
        queue.add(timer(90, inBin[0]));
        queue.add(timer(10, inBin[1]));
        queue.add(timer(101, inBin[2]));
        queue.showAlone(0, BIN, 100);
        assertThat(queue.poll().getTimestamp()).isEqualTo(10);
        queue.add(timer(20, inBin[1])); // as it fires
        queue.add(timer(300, inBin[1]));
        queue.remove(timer(90, inBin[0]));
        assertThat(pollAll()).containsExactly(20L);
        queue.showMain();
        assertThat(queue.peek()).as("main").isNull();

        List<Long> left = new ArrayList<>(keys(false).asLongStream().boxed().toList());
        left.addAll(List.of(101L, 300L));
        queue.show(SUBSCALE);
        assertThat(pollAll()).isSorted().containsExactlyInAnyOrderElementsOf(left);
    }
}
