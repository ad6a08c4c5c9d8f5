package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.heap.HeapBackend;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.TestTaskManager;
import dev.drrs.runtime.rehearsal.RehearsalEndedException;
import dev.drrs.runtime.rehearsal.RehearsalPart;
import dev.drrs.runtime.rehearsal.Rehearsed;
import dev.drrs.runtime.state.ScratchState;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.junit.jupiter.api.Test;

class OwnerRehearsalTest {

    private final StateBackendSupport heap = new HeapBackend();
    private String said;

    private RehearsalPart part(PeerNetwork network) {
        OwnerRehearsal whole = new OwnerRehearsal(heap, network);
        return stage -> said = whole.run(stage);
    }

    /** The same network, which is told another address of its own. */
    private static PeerNetwork at(String host, int dataPort, PeerNetwork network) {
        return new PeerNetwork(
                network.shuffle(), network.events(), network.taskManager(), host, dataPort);
    }

    @Test
    void keyGroupsMoveToAndFroAndNothingIsLeftOpen() throws Exception {
        try (TestTaskManager taskManager = new TestTaskManager("tm")) {
            assertThat(Rehearsed.of(part(taskManager.network)).ended()).startsWith("done in");
            assertThat(said).matches("48 subscales of [1-9][0-9]{5,} bytes");
            taskManager.assertNothingLeaks();
        }
        TestTaskManager.assertNoThreadsLeft();
    }

    @Test
    void withoutADataPortBothExchangesAreLocal() throws Exception {
        try (TestTaskManager taskManager = new TestTaskManager("tm")) {
            PeerNetwork local = at(taskManager.network.host(), 0, taskManager.network);
            assertThat(Rehearsed.of(part(local)).ended()).startsWith("done in");
            taskManager.assertNothingLeaks();
        }
    }

    @Test
    void aTaskManagerThatDoesNotReachItselfIsAnErrorThatLeavesNothingOpen() throws Exception {
        try (TestTaskManager taskManager = new TestTaskManager("tm")) {
            PeerNetwork network = taskManager.network;
            PeerNetwork unreachable = at("no-such-host.invalid", network.dataPort(), network);
            assertThat(Rehearsed.of(part(unreachable)).ended())
                    .startsWith("failed: java.io.IOException: a peer exchange with itself broke");
            taskManager.assertNothingLeaks();
        }
        TestTaskManager.assertNoThreadsLeft();
    }

    @Test
    void withFewFreeNetworkBuffersItTakesNone() throws Exception {
        try (TestTaskManager taskManager = new TestTaskManager("tm", new Configuration())) {
            var pool = taskManager.network.shuffle().getNetworkBufferPool();
            int free = pool.getTotalNumberOfMemorySegments();
            BufferPool others = pool.createBufferPool(free - 20, free - 20);
            try {
                assertThat(Rehearsed.of(part(taskManager.network)).ended())
                        .matches(
                                "stopped: 20 network buffers are free, and only with [0-9]+ it takes"
                                        + " some of them");
            } finally {
                others.lazyDestroy();
            }
            taskManager.assertNothingLeaks();
        }
    }

    @Test
    void aRescaleEndsItAndNothingIsLeftOpen() throws Exception {
        try (TestTaskManager taskManager = new TestTaskManager("tm")) {
            RehearsalPart interrupted =
                    stage -> {
                        stage.execute(
                                () -> {
                                    throw new RehearsalEndedException("a rescale began");
                                });
                        return part(taskManager.network).run(stage);
                    };
            assertThat(Rehearsed.of(interrupted).ended()).isEqualTo("stopped: a rescale began");
            taskManager.assertNothingLeaks();
        }
        TestTaskManager.assertNoThreadsLeft();
    }

    @Test
    void scratchStateFiresItsTimersAndHasAllKinds() throws Exception {
        try (ScratchState state = heap.scratch(1 << 15).orElseThrow()) {
            state.process("a", 5);
            state.process("b", 7);
            state.watermark(6);
            assertThat(state.fired()).isEqualTo(1);
            assertThat(state.entries()).isEqualTo(6);
            assertThat(state.movable().sampleKeys(10)).hasSize(2);
        }
    }
}
