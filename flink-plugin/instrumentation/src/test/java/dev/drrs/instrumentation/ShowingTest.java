package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.flink.Member;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.junit.jupiter.api.Test;

/** What only shows things cannot throw into Flink. */
class ShowingTest {

    private static final Set<String> SHOWING =
            Set.of(
                    "accumulators-of-job",
                    "accumulators-of-vertex",
                    "adaptive-scheduler",
                    "archived-rescales",
                    "armed-task-managers",
                    "attempts-with-metrics",
                    "checkpoint-task-statistics",
                    "kept-rescales",
                    "rest-endpoints");

    /** What is woven in the test. */
    public static class Stock {
        public String shown() {
            return "stock";
        }
    }

    /** Throws instead of showing anything. */
    public static final class Broken {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.Return(readOnly = false) String shown) {
            shown = Runtime.broken("ours");
        }
    }

    /** As {@link Broken}, of a join point that does more than show. */
    public static final class Strict {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false) String shown) {
            shown = Runtime.broken("ours");
        }
    }

    /** What advice calls. */
    public static final class Runtime {
        public static String broken(String value) {
            throw new NoSuchFieldError("gone from Flink, for " + value);
        }
    }

    @Test
    void everyAdviceOfAJoinPointThatShowsThingsKeepsWhatItThrowsFromFlink() {
        List<String> seen = new ArrayList<>();
        for (JoinPoint point : JoinPoints.all()) {
            if (SHOWING.contains(point.name()) || point.name().startsWith("shown-")) {
                seen.add(point.name());
                for (Class<?> advice : point.getClass().getDeclaredClasses()) {
                    for (Method method : advice.getDeclaredMethods()) {
                        assertThat(suppressed(method)).as(point.name()).isEqualTo(Throwable.class);
                    }
                }
            }
        }
        assertThat(seen).containsAll(SHOWING).hasSizeGreaterThan(SHOWING.size() + 5);
    }

    private static Class<? extends Throwable> suppressed(Method advice) {
        Advice.OnMethodEnter enter = advice.getAnnotation(Advice.OnMethodEnter.class);
        return enter == null
                ? advice.getAnnotation(Advice.OnMethodExit.class).suppress()
                : enter.suppress();
    }

    @Test
    void whatIsThrownInsteadOfShownLeavesFlinksOwn() throws Exception {
        assertThat(shownWith(Broken.class)).isEqualTo("stock");
    }

    @Test
    void whatDoesMoreThanShowThrows() {
        assertThatThrownBy(() -> shownWith(Strict.class))
                .hasRootCauseMessage("gone from Flink, for ours");
    }

    private static Object shownWith(Class<?> advice) throws Exception {
        Class<?> woven =
                Weaving.advise(
                                new ByteBuddy().redefine(Stock.class),
                                advice,
                                Member.of("shown", "()Ljava/lang/String;"))
                        .make()
                        .load(
                                ShowingTest.class.getClassLoader(),
                                ClassLoadingStrategy.Default.CHILD_FIRST)
                        .getLoaded();
        return woven.getMethod("shown").invoke(woven.getConstructor().newInstance());
    }
}
