package dev.drrs.runtime.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.CopyAhead;
import dev.drrs.protocol.Subscale;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeapCheckTest {

    private static final long[] HEAP_BYTES = {10, 20, 30, 40};

    /** From subtask 0: 10 and 20 bytes to another TaskManager, 30 within its own. */
    private static final List<Subscale> SUBSCALES =
            List.of(
                    new Subscale(1, 0, 1, new int[] {0, 1}),
                    new Subscale(2, 0, 2, new int[] {2}),
                    new Subscale(3, 1, 2, new int[] {3}));

    private static String taskManager(int subtask) {
        return subtask == 1 ? "other" : "one";
    }

    @Test
    void whatIsCopiedAheadCountsAtItsOldOwnerAndAgainWhereItStaysOnTheTaskManager() {
        assertThat(twice(new CopyAhead(1_000, 0))).isEqualTo(Map.of(0, 60L + 30, 1, 40L));
    }

    @Test
    void noMoreCountsThanIsCopiedAtATime() {
        assertThat(twice(new CopyAhead(35, 0))).isEqualTo(Map.of(0, 35L + 30, 1, 40L));
        assertThat(twice(new CopyAhead(1, 0)))
                .as("the largest subscale goes whatever the window")
                .isEqualTo(Map.of(0, 30L + 30, 1, 40L));
    }

    @Test
    void withoutCopiesNothingIsThereTwice() {
        assertThat(twice(CopyAhead.NONE)).isEmpty();
    }

    private static Map<Integer, Long> twice(CopyAhead copyAhead) {
        return HeapCheck.copiedAhead(SUBSCALES, copyAhead, HEAP_BYTES, HeapCheckTest::taskManager);
    }
}
