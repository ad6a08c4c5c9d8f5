package dev.drrs.runtime.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.StateSizes;
import org.junit.jupiter.api.Test;

class HeapRoomTest {

    @Test
    void smallEntriesTakeMoreHeapThanTheirBytes() {
        StateSizes sizes = new StateSizes(2, new long[] {0, 10}, new long[] {0, 160});
        assertThat(HeapRoom.taken(sizes, 1 << 20)).containsExactly(0, 0, 0, 160 + 10 * 128);
    }

    @Test
    void allStateTogetherTakesNoMoreThanTheHeapThatIsUsed() {
        StateSizes sizes = new StateSizes(0, new long[] {0, 0}, new long[] {3_000_000, 1_000_000});
        assertThat(HeapRoom.taken(sizes, 1_000_000)).containsExactly(750_000, 250_000);
    }

    @Test
    void garbageDoesNotCountAsUsed() {
        long before = new HeapRoom().free(Long.MAX_VALUE);
        for (int i = 0; i < 64; i++) {
            assertThat(new byte[1 << 20]).isNotEmpty();
        }
        assertThat(new HeapRoom().free(Long.MAX_VALUE)).isGreaterThan(before - (32L << 20));
    }
}
