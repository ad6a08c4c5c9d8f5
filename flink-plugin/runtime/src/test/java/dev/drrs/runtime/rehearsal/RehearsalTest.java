package dev.drrs.runtime.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.peer.TestTaskManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RehearsalTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private TestTaskManager taskManager;
    private final CountDownLatch begun = new CountDownLatch(1);

    @BeforeEach
    void start() throws Exception {
        taskManager = new TestTaskManager("tm");
    }

    @AfterEach
    void stop() {
        taskManager.close();
    }

    /** Waits for something that never comes. */
    private String waits(Stage stage) throws Exception {
        begun.countDown();
        stage.runUntil(() -> false);
        return "never";
    }

    @Test
    void itsPartsRunOneAfterTheOtherInAThreadOfItsOwn() throws Exception {
        Rehearsed rehearsed =
                Rehearsed.of(
                        taskManager.network,
                        stage -> {
                            stage.execute(begun::countDown);
                            stage.runUntil(() -> begun.getCount() == 0);
                            return "one";
                        },
                        stage -> {
                            assertThat(begun.getCount()).isZero();
                            assertThat(Thread.currentThread().getName())
                                    .isEqualTo("drrs-rehearsal");
                            assertThat(Thread.currentThread().getContextClassLoader())
                                    .isSameAs(Rehearsal.class.getClassLoader());
                            return "two";
                        });
        assertThat(rehearsed.ended()).matches("done in [0-9]+ ms");
    }

    @Test
    void anErrorEndsItAndIsToldAndNothingElse() throws Exception {
        assertThat(
                        Rehearsed.of(
                                        taskManager.network,
                                        stage -> {
                                            throw new NoClassDefFoundError("a/B");
                                        },
                                        this::waits)
                                .ended())
                .isEqualTo("failed: java.lang.NoClassDefFoundError: a/B");
        assertThat(begun.getCount()).isEqualTo(1);
    }

    @Test
    void aRescaleEndsItWhateverItWaitsFor() throws Exception {
        Rehearsed waiting = Rehearsed.of(taskManager.network, this::waits);
        begun.await();
        waiting.rehearsal().stop("a rescale began");
        assertThat(waiting.ended()).isEqualTo("stopped: a rescale began");
        Rehearsed quiet = Rehearsed.afterQuiet(HOUR, taskManager.network, this::waits);
        quiet.rehearsal().stop("a rescale began");
        assertThat(quiet.ended()).isEqualTo("stopped: a rescale began");
    }

    @Test
    void oneThatIsWaitedForBeginsAtOnceAndTakesNoRests() throws Exception {
        Rehearsed quiet =
                Rehearsed.afterQuiet(
                        HOUR,
                        taskManager.network,
                        stage -> {
                            stage.rest(); // as long as the quiet before
                            return "rested";
                        });
        quiet.rehearsal().hurry().get();
        assertThat(quiet.ended()).startsWith("done in");
    }

    @Test
    void whoWaitsForItWaitsForSoLongOnly() throws Exception {
        assertThat(Rehearsals.hurry(Long.MAX_VALUE)).isDone(); // there is none
        try {
            Rehearsals.started(taskManager.network, () -> List.of(this::waits));
            Rehearsals.hurry(1).get();
            assertThat(Rehearsals.status()).isEqualTo("stopped: a rescale began");
            assertThat(begun.getCount()).isZero();
        } finally {
            Rehearsals.forget();
        }
    }

    @Test
    void oneThatHasEndedIsNotStopped() throws Exception {
        Rehearsed rehearsed = Rehearsed.of(taskManager.network);
        String status = rehearsed.ended();
        rehearsed.rehearsal().stop("a rescale began");
        assertThat(rehearsed.ended()).isEqualTo(status).startsWith("done in");
    }

    @Test
    void whatNeverComesIsAnError() throws Exception {
        Duration moment = Duration.ofMillis(1);
        assertThat(Rehearsed.within(HOUR, moment, taskManager.network, this::waits).ended())
                .startsWith("failed: java.util.concurrent.TimeoutException: nothing came for 0");
    }

    @Test
    void itDoesNotGoOnForEver() throws Exception {
        Duration moment = Duration.ofMillis(1);
        assertThat(
                        Rehearsed.within(
                                        moment,
                                        HOUR,
                                        taskManager.network,
                                        stage -> {
                                            while (true) {
                                                stage.rest();
                                            }
                                        })
                                .ended())
                .isEqualTo("stopped: its 0 seconds are over");
    }

    @Test
    void aTaskManagerThatShutsDownIsNoError() throws Exception {
        taskManager.close();
        assertThat(
                        Rehearsed.of(
                                        taskManager.network,
                                        stage -> {
                                            throw new IllegalStateException("closed");
                                        })
                                .ended())
                .isEqualTo("stopped: the TaskManager shuts down");
    }

    @Test
    void thereIsOneInAJvmUntilItIsForgotten() throws Exception {
        try {
            assertThat(Rehearsals.status()).isEqualTo("none");
            Rehearsals.keyGroupsMove(); // nothing to end
            Rehearsals.started(taskManager.network, () -> List.of(this::waits));
            assertThat(Rehearsals.status()).isEqualTo("under way");
            Rehearsals.started(
                    taskManager.network,
                    () -> {
                        throw new AssertionError("a second one");
                    });
            Rehearsals.keyGroupsMove();
        } finally {
            Rehearsals.forget();
        }
        assertThat(Rehearsals.status()).isEqualTo("none");
    }

    @Test
    void theClassesOfAllPackagesThatATaskNeedsAreFoundAndCanBeLoaded() throws Exception {
        assertThat(PluginClasses.names())
                .contains(
                        "dev.drrs.runtime.role.TaskRescaler",
                        "dev.drrs.runtime.heap.HeapInstaller",
                        "dev.drrs.runtime.message.Register")
                .noneMatch(name -> name.startsWith("dev.drrs.runtime.run."));
        assertThat(Rehearsed.of(taskManager.network, new PluginClasses()).ended())
                .startsWith("done in");
    }
}
