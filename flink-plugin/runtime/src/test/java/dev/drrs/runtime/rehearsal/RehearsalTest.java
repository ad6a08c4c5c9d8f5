package dev.drrs.runtime.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RehearsalTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final CountDownLatch begun = new CountDownLatch(1);

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
        Rehearsed waiting = Rehearsed.of(this::waits);
        begun.await();
        waiting.rehearsal().stop("a rescale began");
        assertThat(waiting.ended()).isEqualTo("stopped: a rescale began");
        Rehearsed quiet = Rehearsed.afterQuiet(HOUR, this::waits);
        quiet.rehearsal().stop("a rescale began");
        assertThat(quiet.ended()).isEqualTo("stopped: a rescale began");
    }

    @Test
    void oneThatIsWaitedForBeginsAtOnceAndTakesNoRests() throws Exception {
        Rehearsed quiet =
                Rehearsed.afterQuiet(
                        HOUR,
                        stage -> {
                            stage.rest(); // as long as the quiet before
                            return "rested";
                        });
        quiet.rehearsal().hurry().get();
        assertThat(quiet.ended()).startsWith("done in");
    }

    @Test
    void whoWaitsForItWaitsForSoLongOnly() throws Exception {
        assertThat(Rehearsals.OF_TASKS.hurry(Long.MAX_VALUE)).isDone(); // there is none
        try {
            Rehearsals.OF_TASKS.started(() -> false, () -> List.of(this::waits));
            Rehearsals.OF_TASKS.hurry(1).get();
            assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("stopped: a rescale began");
            assertThat(begun.getCount()).isZero();
        } finally {
            Rehearsals.OF_TASKS.forget();
        }
    }

    @Test
    void oneThatHasEndedIsNotStopped() throws Exception {
        Rehearsed rehearsed = Rehearsed.of();
        String status = rehearsed.ended();
        rehearsed.rehearsal().stop("a rescale began");
        assertThat(rehearsed.ended()).isEqualTo(status).startsWith("done in");
    }

    @Test
    void whatNeverComesIsAnError() throws Exception {
        Duration moment = Duration.ofMillis(1);
        assertThat(Rehearsed.within(HOUR, moment, this::waits).ended())
                .startsWith("failed: java.util.concurrent.TimeoutException: nothing came for 0");
    }

    @Test
    void itDoesNotGoOnForEver() throws Exception {
        Duration moment = Duration.ofMillis(1);
        assertThat(
                        Rehearsed.within(
                                        moment,
                                        HOUR,
                                        stage -> {
                                            while (true) {
                                                stage.rest();
                                            }
                                        })
                                .ended())
                .isEqualTo("stopped: its 0 seconds are over");
    }

    @Test
    void aProcessThatShutsDownIsNoError() throws Exception {
        assertThat(
                        Rehearsed.whileClosing(
                                        stage -> {
                                            throw new IllegalStateException("closed");
                                        })
                                .ended())
                .isEqualTo("stopped: the process shuts down");
    }

    @Test
    void thereIsOneInAJvmUntilItIsForgotten() throws Exception {
        try {
            assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("none");
            Rehearsals.OF_TASKS.inEarnest(); // nothing to end
            Rehearsals.OF_TASKS.started(() -> false, () -> List.of(this::waits));
            assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("under way");
            Rehearsals.OF_TASKS.started(
                    () -> false,
                    () -> {
                        throw new AssertionError("a second one");
                    });
            Rehearsals.OF_TASKS.inEarnest();
        } finally {
            Rehearsals.OF_TASKS.forget();
        }
        assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("none");
    }

    @Test
    void theClassesOfAllPackagesThatATaskNeedsAreFoundAndCanBeLoaded() throws Exception {
        assertThat(PluginClasses.ofTasks().names())
                .contains(
                        "dev.drrs.runtime.role.TaskRescaler",
                        "dev.drrs.runtime.heap.HeapInstaller",
                        "dev.drrs.runtime.message.Register")
                .noneMatch(name -> name.startsWith("dev.drrs.runtime.run."));
        assertThat(Rehearsed.of(PluginClasses.ofTasks()).ended()).startsWith("done in");
    }

    @Test
    void theClassesOfAllPackagesThatTheCoordinatorNeedsAreFoundAndCanBeLoaded() throws Exception {
        assertThat(PluginClasses.ofCoordinator().names())
                .contains(
                        "dev.drrs.runtime.run.RescaleRun",
                        "dev.drrs.runtime.request.Rescales",
                        "dev.drrs.runtime.message.Register")
                .noneMatch(name -> name.startsWith("dev.drrs.runtime.role."));
        assertThat(Rehearsed.of(PluginClasses.ofCoordinator()).ended()).startsWith("done in");
    }
}
