package dev.drrs.runtime.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.operators.coordination.TaskNotRunningException;
import org.junit.jupiter.api.Test;

class LostTasksTest {

    private static final Throwable UNREACHABLE = new TimeoutException("no answer");
    private static final Throwable NOT_RUNNING =
            new CompletionException(new TaskNotRunningException("it does not run"));

    private final Set<String> expectedToEnd = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private final List<String> failed = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private boolean over;

    private final LostTasks<String> lost =
            new LostTasks<>(
                    new LostTasks.Host<>() {
                        @Override
                        public boolean isAnswer(String task) {
                            return expectedToEnd.contains(task);
                        }

                        @Override
                        public boolean isOver() {
                            return over;
                        }

                        @Override
                        public boolean hasEnded(String task) {
                            return ended.contains(task);
                        }

                        @Override
                        public void fail(String task, Throwable failure) {
                            failed.add(task);
                        }

                        @Override
                        public void after(Duration time, Runnable action) {
                            assertThat(time).isEqualTo(LostTasks.NEWS_OF_AN_END);
                            later.add(action);
                        }
                    });

    private void timePasses() {
        later.forEach(Runnable::run);
        later.clear();
    }

    @Test
    void aTaskThatCannotBeReachedFailsAtOnce() {
        lost.add("map", UNREACHABLE);

        assertThat(failed).containsExactly("map");
    }

    @Test
    void theEndOfAPredecessorThatWasAskedToTakePartIsItsAnswer() {
        expectedToEnd.add("source");
        lost.add("source", NOT_RUNNING);
        timePasses();

        assertThat(failed).isEmpty();
    }

    @Test
    void aTaskThatDoesNotRunIsLostIfThereIsNoNewsOfItsEnd() {
        lost.add("map", NOT_RUNNING);
        assertThat(failed).isEmpty();
        timePasses();

        assertThat(failed).containsExactly("map");
    }

    @Test
    void theNewsOfItsEndSaysMore() {
        lost.add("map", NOT_RUNNING);
        ended.add("map");
        timePasses();

        assertThat(failed).isEmpty();
    }

    @Test
    void nobodyIsLostToARescaleThatIsOver() {
        lost.add("map", NOT_RUNNING);
        over = true;
        lost.add("sink", UNREACHABLE);
        timePasses();

        assertThat(failed).isEmpty();
    }
}
