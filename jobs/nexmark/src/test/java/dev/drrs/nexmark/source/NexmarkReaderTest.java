package dev.drrs.nexmark.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Mode;
import dev.drrs.nexmark.generator.RateSchedule;
import dev.drrs.nexmark.generator.Workload;
import dev.drrs.nexmark.generator.Workload.Layout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NexmarkReaderTest {

    private final RecordingOutput output = new RecordingOutput();
    private final List<SourceEvent> sent = new ArrayList<>();

    @Test
    void preloadEventsComeBeforeTheScheduleStartsAndAllOutputsBeforeTheFirstEvent()
            throws Exception {
        NexmarkReader reader = reader(4, 2, pacing(false, false), new PreloadRange(0, 3));
        reader.addSplits(List.of(NexmarkSplit.fresh(0), NexmarkSplit.fresh(1)));
        reader.notifyNoMoreSplits();
        drain(reader);
        assertThat(output.calls())
                .containsExactly("open 0", "open 1", "preload", "preload", "preload");
        assertThat(sent).containsExactly(new SplitReady(0), new SplitReady(1));
        assertThat(reader.isAvailable()).isNotDone();
        reader.handleSourceEvents(new EpochSet(1000));
        assertThat(reader.isAvailable()).isDone();
        assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(output.calls().stream().filter(call -> call.startsWith("event")))
                .containsExactly("event 0", "event 1", "event 2", "event 3");
        assertThat(output.calls()).contains("release 0", "release 1");
    }

    @Test
    void withNothingDueThePollReturnsAndTheFutureCompletesWhenTheNextEventIs() throws Exception {
        NexmarkReader reader = reader(2, 1, pacing(true, false), PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0)));
        reader.notifyNoMoreSplits();
        drain(reader);
        long epoch = System.currentTimeMillis() + 1000;
        reader.handleSourceEvents(new EpochSet(epoch));
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(output.calls()).containsExactly("open 0");
        CompletableFuture<Void> due = reader.isAvailable();
        due.get(10, TimeUnit.SECONDS);
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(epoch);
        drain(reader);
        assertThat(output.calls()).contains("event 0");
        reader.close();
    }

    @Test
    void aRestoredReaderEmitsWhatTheSnapshotHadNotAndKeepsTheEpoch() throws Exception {
        NexmarkReader first = reader(100, 2, pacing(false, false), PreloadRange.NONE);
        first.addSplits(List.of(NexmarkSplit.fresh(0), NexmarkSplit.fresh(1)));
        drain(first);
        first.handleSourceEvents(new EpochSet(77));
        while (output.calls().stream().filter(call -> call.startsWith("event")).count() < 41) {
            first.pollNext(output);
        }
        List<NexmarkSplit> snapshot = first.snapshotState(1);
        assertThat(snapshot).extracting(NexmarkSplit::epochMs).containsOnly(77L);
        output.calls().clear();
        sent.clear();
        NexmarkReader second = reader(100, 2, pacing(false, false), PreloadRange.NONE);
        second.addSplits(snapshot);
        second.notifyNoMoreSplits();
        assertThat(drain(second)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(sent).isEmpty();
        assertThat(output.calls().stream().filter(call -> call.startsWith("event")))
                .hasSize(59)
                .contains("event 41", "event 99");
    }

    @Test
    void aHeldReaderLetsAllTimePassAndStays() throws Exception {
        NexmarkReader reader = reader(1, 1, pacing(false, true), PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0)));
        reader.notifyNoMoreSplits();
        drain(reader);
        reader.handleSourceEvents(new EpochSet(1));
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(output.calls()).endsWith("watermark 0 " + (Long.MAX_VALUE - 1));
        assertThat(reader.isAvailable()).isNotDone();
    }

    @Test
    void aHeldReaderWithoutASplitIsIdle() throws Exception {
        NexmarkReader reader = reader(1, 1, pacing(false, true), PreloadRange.NONE);
        reader.notifyNoMoreSplits();
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        drain(reader);
        assertThat(output.calls()).containsExactly("idle main");
    }

    @Test
    void anIdleSplitSkipsItsEventsAndIsActiveAgainBeforeItsNextOne() throws Exception {
        Pacing pacing = new Pacing(false, 0, 0, false, 1_000_000, Set.of(0), 5, 2010, Opening.NONE);
        NexmarkReader reader = reader(2012, 1, pacing, PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0)));
        reader.notifyNoMoreSplits();
        drain(reader);
        reader.handleSourceEvents(new EpochSet(1));
        for (int poll = 0; poll < 7; poll++) {
            reader.pollNext(output);
        }
        assertThat(output.calls()).endsWith("event 4", "idle 0");
        assertThat(reader.snapshotState(1))
                .containsExactly(new NexmarkSplit(0, 0, 2010, 0, 1, NexmarkSplit.Idleness.IDLE));
        drain(reader);
        assertThat(output.calls())
                .endsWith("idle 0", "watermark 0 1009", "event 2010", "event 2011", "release 0");
    }

    @Test
    void aPausedSplitWaitsAndTheOthersGoOn() throws Exception {
        NexmarkReader reader = reader(6, 2, pacing(false, false), PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0), NexmarkSplit.fresh(1)));
        reader.notifyNoMoreSplits();
        drain(reader);
        reader.pauseOrResumeSplits(List.of("0"), List.of());
        reader.handleSourceEvents(new EpochSet(1000));
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(events()).containsExactly("event 1", "event 3", "event 5");
        assertThat(reader.isAvailable()).isNotDone();
        reader.pauseOrResumeSplits(List.of(), List.of("0"));
        assertThat(reader.isAvailable()).isDone();
        assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(events())
                .containsExactly("event 1", "event 3", "event 5", "event 0", "event 2", "event 4");
    }

    @Test
    void eventsFromANumberOnWaitForTheOpeningFile(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("open");
        Pacing pacing =
                new Pacing(
                        false,
                        0,
                        0,
                        false,
                        100,
                        Set.of(),
                        0,
                        0,
                        new Opening(file.toString(), 3, false, false));
        NexmarkReader reader = reader(6, 2, pacing, PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0), NexmarkSplit.fresh(1)));
        reader.notifyNoMoreSplits();
        drain(reader);
        reader.handleSourceEvents(new EpochSet(1000));
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(events()).containsExactly("event 0", "event 1", "event 2");

        Files.createFile(file);

        reader.isAvailable().get(10, TimeUnit.SECONDS);
        assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(events()).hasSize(6).endsWith("event 3", "event 4", "event 5");
        reader.close();
    }

    @Test
    void theOpeningFileEndsTheSchedule(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("open");
        Opening opening = new Opening(file.toString(), 0, false, true);
        Pacing pacing = new Pacing(true, 0, 0, false, 100, Set.of(), 0, 0, opening);
        NexmarkReader reader = reader(6, 1, pacing, PreloadRange.NONE);
        reader.addSplits(List.of(NexmarkSplit.fresh(0)));
        reader.notifyNoMoreSplits();
        drain(reader);
        reader.handleSourceEvents(new EpochSet(System.currentTimeMillis() + 1_000_000));
        assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);

        Files.createFile(file);

        reader.isAvailable().get(10, TimeUnit.SECONDS);
        assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(events()).hasSize(6);
        reader.close();
    }

    private List<String> events() {
        return output.calls().stream().filter(call -> call.startsWith("event")).toList();
    }

    private NexmarkReader reader(long events, int splits, Pacing pacing, PreloadRange preload) {
        Workload workload =
                new Workload(
                        Mode.MIXED,
                        1,
                        0,
                        events,
                        Layout.INTERLEAVED,
                        splits,
                        RateSchedule.constant(1000),
                        0,
                        1);
        return new NexmarkReader(new GeneratorFeeds(workload), pacing, preload, sent::add);
    }

    private static Pacing pacing(boolean paced, boolean hold) {
        return new Pacing(paced, 0, 0, hold, 100, Set.of(), 0, 0, Opening.NONE);
    }

    private InputStatus drain(NexmarkReader reader) throws Exception {
        InputStatus status;
        do {
            status = reader.pollNext(output);
        } while (status == InputStatus.MORE_AVAILABLE);
        return status;
    }
}
