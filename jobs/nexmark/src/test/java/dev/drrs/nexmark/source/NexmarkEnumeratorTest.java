package dev.drrs.nexmark.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NexmarkEnumeratorTest {

    private static final int PARALLELISM = 2;
    private static final Pacing NO_EARLIEST =
            new Pacing(true, 0, 0, false, 100, Set.of(), 0, 0, Opening.NONE);

    private final Map<Integer, ReaderInfo> readers = new TreeMap<>();
    private final List<String> calls = new ArrayList<>();

    /** What the enumerator wants to be called again and again. */
    private Runnable look;

    @Test
    void splitsAreDealtByIndexAndEachReaderHearsThatThereAreNoMore() {
        NexmarkEnumerator enumerator = NexmarkEnumerator.fresh(context(), NO_EARLIEST, 5);
        register(enumerator, 1);
        register(enumerator, 0);
        assertThat(calls)
                .containsExactly(
                        "split 1 to 1",
                        "split 3 to 1",
                        "no more to 1",
                        "split 0 to 0",
                        "split 2 to 0",
                        "split 4 to 0",
                        "no more to 0");
        assertThat(enumerator.snapshotState(1).unassigned()).isEmpty();
    }

    @Test
    void theScheduleStartsOnceAllSplitsAreReadyAndNotBeforeTheGivenTime() {
        long earliest = System.currentTimeMillis() + 1_000_000;
        Pacing pacing = new Pacing(true, earliest, 0, false, 100, Set.of(), 0, 0, Opening.NONE);
        NexmarkEnumerator enumerator = NexmarkEnumerator.fresh(context(), pacing, 2);
        register(enumerator, 0);
        register(enumerator, 1);
        calls.clear();
        enumerator.handleSourceEvent(0, new SplitReady(0));
        enumerator.handleSourceEvent(0, new SplitReady(0));
        assertThat(calls).isEmpty();
        enumerator.handleSourceEvent(1, new SplitReady(1));
        assertThat(calls)
                .containsExactly("epoch " + earliest + " to 0", "epoch " + earliest + " to 1");
    }

    @Test
    void aReaderThatFailedGetsItsSplitsBackAndTheEpochThatIsSet() {
        NexmarkEnumerator enumerator = NexmarkEnumerator.fresh(context(), NO_EARLIEST, 2);
        register(enumerator, 0);
        register(enumerator, 1);
        enumerator.handleSourceEvent(0, new SplitReady(0));
        enumerator.handleSourceEvent(1, new SplitReady(1));
        long epoch = enumerator.snapshotState(1).epochMs();
        calls.clear();
        enumerator.addSplitsBack(List.of(NexmarkSplit.fresh(1)), 1);
        register(enumerator, 1);
        enumerator.handleSourceEvent(1, new SplitReady(1));
        assertThat(calls)
                .containsExactly("split 1 to 1", "no more to 1", "epoch " + epoch + " to 1");
    }

    @Test
    void aRestoredEnumeratorKeepsNumberOfSplitsEpochAndWhatIsUnassigned() throws Exception {
        EnumeratorState state =
                new EnumeratorState(
                        7,
                        List.of(new NexmarkSplit(6, 1, 2, 3, 4, NexmarkSplit.Idleness.IDLE)),
                        1234);
        EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
        EnumeratorState read =
                serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
        assertThat(read).isEqualTo(state);
        NexmarkEnumerator enumerator = NexmarkEnumerator.restored(context(), NO_EARLIEST, read);
        assertThat(enumerator.snapshotState(1)).isEqualTo(state);
        register(enumerator, 0);
        enumerator.handleSourceEvent(0, new SplitReady(6));
        assertThat(calls).containsExactly("split 6 to 0", "no more to 0", "epoch 1234 to 0");
    }

    @Test
    void aBacklogEndsOnceWhenTheOpeningFileIsThere(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("open");
        Opening opening = new Opening(file.toString(), 0, true, false);
        Pacing pacing = new Pacing(true, 0, 0, false, 100, Set.of(), 0, 0, opening);
        NexmarkEnumerator.fresh(context(), pacing, 2).start();
        look.run();
        assertThat(calls).containsExactly("backlog true");

        Files.createFile(file);
        look.run();
        look.run();

        assertThat(calls).containsExactly("backlog true", "backlog false");
    }

    private void register(NexmarkEnumerator enumerator, int subtask) {
        readers.put(subtask, new ReaderInfo(subtask, "here"));
        enumerator.addReader(subtask);
    }

    @SuppressWarnings("unchecked")
    private static void call(Object[] asyncCall) {
        BiConsumer<Object, Throwable> handler = (BiConsumer<Object, Throwable>) asyncCall[1];
        try {
            handler.accept(((Callable<?>) asyncCall[0]).call(), null);
        } catch (Exception e) {
            handler.accept(null, e);
        }
    }

    @SuppressWarnings("unchecked")
    private SplitEnumeratorContext<NexmarkSplit> context() {
        return (SplitEnumeratorContext<NexmarkSplit>)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {SplitEnumeratorContext.class},
                        (proxy, method, args) -> {
                            switch (method.getName()) {
                                case "currentParallelism":
                                    return PARALLELISM;
                                case "registeredReaders":
                                    return readers;
                                case "assignSplit":
                                    calls.add(
                                            "split "
                                                    + ((NexmarkSplit) args[0]).index()
                                                    + " to "
                                                    + args[1]);
                                    return null;
                                case "signalNoMoreSplits":
                                    calls.add("no more to " + args[0]);
                                    return null;
                                case "setIsProcessingBacklog":
                                    calls.add("backlog " + args[0]);
                                    return null;
                                case "callAsync":
                                    look = () -> call(args);
                                    return null;
                                case "sendEventToSourceReader":
                                    calls.add(
                                            "epoch "
                                                    + ((EpochSet) args[1]).epochMs()
                                                    + " to "
                                                    + args[0]);
                                    return null;
                                default:
                                    throw new UnsupportedOperationException(method.getName());
                            }
                        });
    }
}
