package dev.drrs.runtime.run;

import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Planner;
import dev.drrs.protocol.Policies;
import dev.drrs.protocol.Sections;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.Surroundings;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.Together;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.rehearsal.PluginClasses;
import dev.drrs.runtime.rehearsal.RehearsalPart;
import dev.drrs.runtime.rehearsal.Rehearsals;
import dev.drrs.runtime.rehearsal.Stage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.SerializedValue;

/**
 * Rescales of an operator that there is not, out and in: planned, and moved by a {@link Migration}
 * whose messages are serialized as those to and from tasks. This has the part of the tasks, which
 * answer at once. In the stage's thread.
 */
public final class CoordinatorRehearsal implements RehearsalPart {

    /** So many times there and back; then the code that does most of the work is compiled. */
    private static final int ROUNDS = 4;

    private static final int FEW = 2;
    private static final int MANY = 4;
    private static final int KEY_GROUPS = 128;
    private static final int BYTES = 1 << 20;
    private static final List<String> DATA_SETS = List.of("0123456789abcdef0123456789abcdef");

    private final Policies policies =
            Strategies.byName(Strategies.DEFAULT).orElseThrow().policies(Map.of());
    private final Queue<GateReported> answers = new ArrayDeque<>();
    private int[] placement = IntStream.range(0, KEY_GROUPS).map(k -> k % FEW).toArray();
    private int ids;
    private int messages;

    /** To be called when an elastic job is there; any thread. */
    public static void jobStarted() {
        Rehearsals.OF_COORDINATOR.started(
                () -> false,
                () -> List.of(PluginClasses.ofCoordinator(), new CoordinatorRehearsal()));
    }

    @Override
    public String run(Stage stage) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            rescale(MANY, stage);
            rescale(FEW, stage);
        }
        return ids + " subscales by " + messages + " messages";
    }

    private void rescale(int parallelism, Stage stage) throws Exception {
        Plan plan =
                Planner.evenly(
                        placement,
                        Arrays.stream(placement).distinct().boxed().toList(),
                        parallelism,
                        MANY,
                        Surroundings.unknown(),
                        load(),
                        policies.units());
        Tasks tasks = new Tasks();
        Migration migration =
                new Migration(
                        placement,
                        plan.subscales(() -> ids++),
                        subtask -> subtask,
                        policies,
                        0,
                        0,
                        false,
                        () -> ids++,
                        new NoCheckpoints(),
                        tasks);
        migration.begin();
        while (!answers.isEmpty()) {
            stage.rest();
            migration.onReports(sent(answers.remove()).reports());
        }
        if (!tasks.finished || !Arrays.equals(migration.placement(), plan.placement())) {
            throw new IllegalStateException("key groups are not where they belong");
        }
        placement = migration.placement();
    }

    /** As different as those of a job: the planner compares them. */
    private static KeyGroupLoad load() {
        long[] some = IntStream.range(0, KEY_GROUPS).mapToLong(k -> 1 + k * 7 % 31).toArray();
        return new KeyGroupLoad(some, some, Arrays.stream(some).map(one -> one * BYTES).toArray());
    }

    /** As it comes out of the network. */
    private <T extends OperatorEvent> T sent(T message) throws IOException, ClassNotFoundException {
        messages++;
        return new SerializedValue<>(message)
                .deserializeValue(CoordinatorRehearsal.class.getClassLoader());
    }

    /** None falls into a section. */
    private static final class NoCheckpoints implements Sections {

        @Override
        public void requestSection(Runnable begin) {
            begin.run();
        }

        @Override
        public void sectionDone() {}
    }

    /** Owners by their subtasks, and a predecessor. */
    private final class Tasks extends TurnMessages<Integer> {

        private static final int PREDECESSOR = -1;

        private boolean finished;

        @Override
        Integer owner(int subtask) {
            return subtask;
        }

        @Override
        void send(Integer task, OperatorEvent message) {
            try {
                OperatorEvent come = sent(message);
                (come instanceof Together several ? several.messages() : List.of(come))
                        .forEach(this::handle);
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }

        private void handle(OperatorEvent message) {
            if (message instanceof Register register) {
                answer(0, new GateReport.Promised(register.move().id(), 0));
            } else if (message instanceof Track track) {
                answer(0, new GateReport.Ready(track.move().id()));
            } else if (message instanceof Reroute reroute) {
                int id = reroute.move().id();
                GateReport.Counters none = new GateReport.Counters(0, 0, 0, 0, 0);
                answer(
                        reroute.move().keyGroups().length,
                        new GateReport.Settled(id, none),
                        new GateReport.Joined(id));
            }
        }

        private void answer(int keyGroups, GateReport... reports) {
            answers.add(GateReported.of(List.of(reports), keyGroups, (long) keyGroups * BYTES));
        }

        @Override
        public void reroute(Subscale subscale) {
            add(PREDECESSOR, new Reroute(Move.of(subscale), DATA_SETS));
        }

        @Override
        public void placementChanged(Subscale subscale) {}

        @Override
        public void nextRound(long millis) {
            throw new IllegalStateException("a strategy without rounds");
        }

        @Override
        public void finished(boolean aborted) {
            finished = true;
        }
    }
}
