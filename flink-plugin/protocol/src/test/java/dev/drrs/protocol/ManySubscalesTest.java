package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What an element of event time costs an owner does not go by the number of subscales, and what a
 * subscale costs the coordinator does not either. Counts work and messages, measures no time.
 */
class ManySubscalesTest {

    private static final int CONCURRENCY = 2;
    private static final int WINDOW = new EmptiestOwnerFirst(CONCURRENCY, 0, 1024).window();
    private static final int PREDECESSORS = 3;

    /** Counts the subscales it is asked about. */
    private static final class CountingRule implements StartRule {
        private final StartRule rule = new EmptiestOwnerFirst(CONCURRENCY, 0, 1024);
        private long asked;

        @Override
        public boolean registers(Subscale next, Registered registered) {
            asked++;
            return rule.registers(next, registered);
        }

        @Override
        public Subscale toStart(List<Subscale> ready, Running running) {
            asked += ready.size();
            return rule.toStart(ready, running);
        }
    }

    /**
     * A migration whose owners answer at once: each message is handled before the next one. What is
     * for one receiver in one turn is one message, and what an owner says to it as well.
     */
    private static final class Rescale implements MigrationEffects {
        private final CountingRule rule = new CountingRule();
        private final ArrayDeque<Runnable> messages = new ArrayDeque<>();
        private final Migration migration;
        private final boolean starts;
        private final List<Subscale> registered = new ArrayList<>();
        private int settled;
        private int mostRegistered;

        /** Owners that have something to drop, which goes with the next message to them. */
        private final Set<Integer> later = new HashSet<>();

        /** In this turn, by owner: what it answers. */
        private final Map<Integer, List<GateReport>> toOwners = new LinkedHashMap<>();

        private boolean toPredecessors;

        /** Whether new owners say that a subscale is installed, before it settles. */
        private boolean copies;

        /** Messages, and what they would be if each said one thing. */
        private int sent;

        private int said;
        private boolean finished;

        /**
         * @param pairs of owners, in a circle: each subtask is old owner of one, new owner of one
         * @param starts whether subscales that are started come to their end
         */
        Rescale(int subscales, int pairs, boolean starts) {
            this.starts = starts;
            List<Subscale> plan = new ArrayList<>();
            int[] placement = new int[subscales];
            for (int i = 0; i < subscales; i++) {
                placement[i] = i % pairs;
                plan.add(new Subscale(i, i % pairs, pairs + i % pairs, new int[] {i}));
            }
            migration =
                    new Migration(
                            placement,
                            plan,
                            subtask -> subtask,
                            SimPolicies.of(rule),
                            0,
                            0,
                            false,
                            () -> 0,
                            new SectionTurns(() -> {}, () -> {}),
                            this);
        }

        Rescale run() {
            migration.begin();
            while (!messages.isEmpty()) {
                messages.poll().run();
            }
            return this;
        }

        private void toOwner(int owner, GateReport... answers) {
            said += 1 + answers.length;
            toOwners.computeIfAbsent(owner, x -> new ArrayList<>()).addAll(List.of(answers));
        }

        private void fromOwner(List<GateReport> reports) {
            sent++;
            messages.add(() -> migration.onReports(reports));
        }

        @Override
        public void nextRound(long millis) {
            throw new AssertionError("the rule has no rounds");
        }

        @Override
        public void turnOver(boolean all) {
            later.removeAll(toOwners.keySet());
            if (all) {
                sent += later.size();
                later.clear();
            }
            sent += toOwners.size() + (toPredecessors ? PREDECESSORS : 0);
            toOwners.values().stream()
                    .filter(answers -> !answers.isEmpty())
                    .forEach(this::fromOwner);
            toOwners.clear();
            toPredecessors = false;
        }

        @Override
        public void register(Subscale s) {
            registered.add(s);
            mostRegistered = Math.max(mostRegistered, registered.size() - settled);
            toOwner(s.newOwner(), new GateReport.Promised(s.id(), Long.MIN_VALUE));
        }

        @Override
        public void aligned(Subscale s, long consumerClock) {}

        @Override
        public void track(Subscale s, long promised) {
            toOwner(s.oldOwner(), new GateReport.Ready(s.id()));
        }

        @Override
        public void untrack(Subscale s) {}

        /** Each settles by itself. */
        @Override
        public void start(Subscale s) {
            toOwner(s.oldOwner());
            if (starts) {
                said += copies ? 3 : 2;
                if (copies) {
                    fromOwner(List.of(new GateReport.Installed(s.id())));
                }
                fromOwner(
                        List.of(
                                new GateReport.Settled(s.id(), GateReport.Counters.NONE),
                                new GateReport.Joined(s.id())));
            }
        }

        @Override
        public void reroute(Subscale s) {
            said += PREDECESSORS;
            toPredecessors = true;
        }

        @Override
        public void placementChanged(Subscale s) {
            settled++;
        }

        @Override
        public void fetchRest(Subscale s) {
            toOwner(s.newOwner());
        }

        @Override
        public void dropAtOldOwner(Subscale s) {
            said++;
            later.add(s.oldOwner());
        }

        @Override
        public void finished(boolean aborted) {
            finished = true;
        }
    }

    @Test
    void aWatermarkCostsOwnersTheSameHoweverManySubscalesAreToCome() {
        assertThat(elementsPerWatermark(16)).isEqualTo(WINDOW);
        assertThat(elementsPerWatermark(512)).isEqualTo(WINDOW);
    }

    /** What the old owner sends on, each of which the new owner takes in. */
    private static int elementsPerWatermark(int subscales) {
        RecordingEffects effects = new RecordingEffects();
        Policies policies = SimPolicies.of(new EmptiestOwnerFirst(CONCURRENCY, 0, 1024));
        SubtaskGate<String> old = SimPolicies.gate(0, new Valve(1), policies, effects);
        for (Subscale subscale : new Rescale(subscales, 1, false).run().registered) {
            old.track(subscale, Long.MIN_VALUE);
        }
        effects.sent.clear();
        old.onWatermark(0, 10);
        return effects.sent.size();
    }

    @Test
    void noMoreAreRegisteredAtATimeThanTheWindowOfEachPairOfOwners() {
        for (int pairs : new int[] {1, 4}) {
            Rescale rescale = new Rescale(512, pairs, true).run();
            assertThat(rescale.finished).isTrue();
            assertThat(rescale.mostRegistered).isEqualTo(pairs * WINDOW);
        }
    }

    @Test
    void aSubscaleCostsTheCoordinatorTheSameHoweverManyThereAre() {
        long few = new Rescale(64, 4, true).run().rule.asked;
        long many = new Rescale(64 * 64, 4, true).run().rule.asked;
        assertThat(many).isLessThan(64 * few * 3 / 2);
    }

    /**
     * Of (8 + P) S things that are said: a start, what predecessors are told, and that it is
     * settled and joined are a message each; three are registered and tracked at a time, and what
     * ends it at the old owner goes with the next message there.
     */
    @Test
    void whatIsForOneReceiverTogetherIsOneMessage() {
        for (int pairs : new int[] {1, 4}) {
            Rescale rescale = new Rescale(512, pairs, true).run();
            assertThat(rescale.said).isEqualTo((8 + PREDECESSORS) * 512);
            assertThat(rescale.sent).isLessThan((4 + PREDECESSORS) * 512);
        }
    }

    @Test
    void withCopiesAheadASubscaleTakesOneMessageMore() {
        Rescale rescale = new Rescale(512, 1, true);
        rescale.copies = true;
        rescale.run();
        assertThat(rescale.said).isEqualTo((9 + PREDECESSORS) * 512);
        assertThat(rescale.sent).isLessThan((5 + PREDECESSORS) * 512);
    }
}
