package dev.drrs.runtime.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.answer.RescaleStatus;
import org.junit.jupiter.api.Test;

class StatusesTest {

    private static RescaleStatus of(Facts facts) {
        return Statuses.of(facts, TestFacts.NOW);
    }

    @Test
    void whatIsStillToComeIsEstimatedFromWhatHasMoved() {
        RescaleStatus status = of(TestFacts.migrating());
        assertThat(status.bytes()).isEqualTo(new RescaleStatus.Moved(1000, 6400));
        assertThat(status.etaMs()).isEqualTo(8000 * 54 / 10);
        assertThat(status.endedAt()).isNull();
        assertThat(status.durationMs()).isEqualTo(10_000);
        assertThat(status.phases().get(2).durationMs()).isEqualTo(8000);
    }

    @Test
    void aRequestForOneOperatorIsShownLikeItsOnlyPart() {
        RescaleStatus status = of(TestFacts.migrating());
        assertThat(status.vertexName()).isEqualTo("count");
        assertThat(status.toParallelism()).isEqualTo(4);
        assertThat(status.parts()).isEmpty();
    }

    @Test
    void aRequestForSeveralIsShownAsTheirSumAndEachByItself() {
        RescaleStatus status = of(TestFacts.ofSeveral());
        assertThat(status.vertexId()).isNull();
        assertThat(status.vertexName()).isEqualTo("count, total");
        assertThat(status.keyGroups()).isEqualTo(new RescaleStatus.Moved(10, 106));
        assertThat(status.subscales()).isEqualTo(new RescaleStatus.Subscales(2, 3, 12));
        assertThat(status.parts())
                .extracting(RescaleStatus::phase)
                .containsExactly("COMPLETED", "PLANNED");
        assertThat(status.parts()).extracting(RescaleStatus::requestId).containsOnly("r2");
    }

    @Test
    void whatHadNotEndedWhenNobodyWasLeftHasFailedAndWhatHadEndedStaysAsItIs() {
        Facts facts = TestFacts.ofSeveral().failed("the JobManager was lost");
        assertThat(facts.phase()).isEqualTo(Phase.FAILED);
        assertThat(facts.parts())
                .extracting(Facts.Part::phase)
                .containsExactly(Phase.COMPLETED, Phase.FAILED);
        RescaleStatus status = Statuses.of(facts, System.currentTimeMillis());
        assertThat(status.reason()).isEqualTo("the JobManager was lost");
        assertThat(status.endedAt()).isGreaterThan(TestFacts.NOW);
        assertThat(status.durationMs()).isEqualTo(status.endedAt() - status.acceptedAt());
        assertThat(facts.failed("again")).isEqualTo(facts);
    }
}
