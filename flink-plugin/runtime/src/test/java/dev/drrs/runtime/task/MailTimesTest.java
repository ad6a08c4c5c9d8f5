package dev.drrs.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.message.MailCounts;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailTimesTest {

    private final MailTimes times = new MailTimes();

    @Test
    void countsByKindUntilTheyAreTaken() {
        times.add("b", 3);
        times.add("a", 7_000);
        times.add("b", 5);
        List<MailCounts> taken = times.take();
        assertThat(taken).extracting(MailCounts::kind).containsExactly("a", "b");
        assertThat(taken).extracting(MailCounts::count).containsExactly(1L, 2L);
        assertThat(taken).extracting(MailCounts::maxMicros).containsExactly(7_000L, 5L);
        assertThat(times.take()).isEmpty();
    }

    @Test
    void workThatFailsIsCountedToo() {
        assertThatThrownBy(
                        () ->
                                times.measure(
                                        "fails",
                                        () -> {
                                            throw new IllegalStateException("as it is to");
                                        }))
                .hasMessage("as it is to");
        assertThat(times.take()).singleElement().extracting(MailCounts::count).isEqualTo(1L);
    }

    @Test
    void the99thOfAHundredIsNotTheLongest() {
        for (int i = 0; i < 99; i++) {
            times.add("some", 12);
        }
        times.add("some", 90_000);
        MailCounts counts = times.take().get(0);
        assertThat(counts.p99Micros()).isEqualTo(12);
        assertThat(counts.maxMicros()).isEqualTo(90_000);
    }

    @Test
    void ofFewTheLongestIsThe99thOfAHundred() {
        times.add("some", 12);
        times.add("some", 1_000);
        assertThat(times.take().get(0).p99Micros()).isEqualTo(1_000);
        assertThat(new MailCounts("none", 0, new long[0]).p99Micros()).isZero();
    }

    /** The time said is never shorter than the real one, and at most an eighth longer. */
    @Test
    void aTimeOfAnyLengthIsSaidToAnEighth() {
        for (long micros = 1; micros < 1L << 39; micros += 1 + micros / 7) {
            long[] one = new long[MailCounts.bucket(micros) + 1];
            one[one.length - 1] = 1;
            long said = new MailCounts("some", Long.MAX_VALUE, one).p99Micros();
            assertThat(said).isBetween(micros, micros + micros / 8);
        }
        assertThat(MailCounts.bucket(Long.MAX_VALUE)).isEqualTo(MailCounts.MOST_BUCKETS - 1);
    }

    @Test
    void countsOfSeveralSubtasksAddUp() {
        times.add("some", 5);
        MailCounts few = times.take().get(0);
        times.add("some", 5);
        times.add("some", 70_000);
        MailCounts more = times.take().get(0);
        for (MailCounts sum : List.of(few.plus(more), more.plus(few))) {
            assertThat(sum.count()).isEqualTo(3);
            assertThat(sum.maxMicros()).isEqualTo(70_000);
        }
    }
}
