package dev.drrs.runtime.section;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.SectionTurns;
import dev.drrs.protocol.Sections;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RunSectionsTest {

    private final List<String> log = new ArrayList<>();
    private final SectionTurns turns = new SectionTurns(() -> log.add("checkpoint"), () -> {});
    private final List<BooleanSupplier> waiting = new ArrayList<>();
    private final RunSections one = new RunSections(asked(), () -> {});
    private final RunSections other = new RunSections(asked(), () -> {});

    private Sections asked() {
        return new Sections() {
            @Override
            public void requestSection(Runnable begin) {
                requestSection(begin, () -> false);
            }

            @Override
            public void requestSection(Runnable begin, BooleanSupplier withdrawn) {
                waiting.add(withdrawn);
                turns.requestSection(begin);
            }

            @Override
            public void sectionDone() {
                turns.sectionDone();
            }
        };
    }

    @Test
    void theEndOfOneRescaleEndsItsSectionsAndLeavesThoseOfTheOther() {
        one.requestSection(() -> log.add("one"));
        one.requestSection(() -> log.add("one again"));
        other.requestSection(() -> log.add("other"));
        turns.checkpointWanted();
        one.end();
        assertThat(turns.running()).isEqualTo(1);
        assertThat(log).containsExactly("one", "one again", "other");
        other.sectionDone();
        assertThat(log).endsWith("checkpoint");
    }

    @Test
    void whatWaitedAtTheEndDoesNotBegin() {
        assertThat(turns.reserveCheckpoint()).isTrue();
        turns.checkpointStarted();
        one.requestSection(() -> log.add("one"));
        other.requestSection(() -> log.add("other"));
        one.end();
        assertThat(waiting).extracting(BooleanSupplier::getAsBoolean).containsExactly(true, false);
        turns.checkpointEnded();
        assertThat(log).containsExactly("other");
        assertThat(turns.running()).isEqualTo(1);
    }

    @Test
    void whatARescaleSaysAfterItsEndCountsForNothing() {
        one.requestSection(() -> log.add("one"));
        other.requestSection(() -> log.add("other"));
        one.end();
        one.sectionDone();
        assertThat(turns.running()).isEqualTo(1);
    }

    @Test
    void whatGoesBeforeASectionRunsBeforeEachThatBegins() {
        RunSections prepared = new RunSections(turns, () -> log.add("before"));
        prepared.requestSection(() -> log.add("first"));
        prepared.requestSection(() -> log.add("second"));
        prepared.end();
        prepared.requestSection(() -> log.add("third"));
        assertThat(log).containsExactly("before", "first", "before", "second");
    }
}
