package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Copies that go ahead, as a host makes them: what a subtask remembers of those that it sends, and
 * what has come of those that it gets. The state of a key group is a map, whose entries say whether
 * they have been touched since it was copied.
 */
final class SimCopies {

    /** What travels beside the elements of an exchange, in order. */
    sealed interface Bulk {
        Subscale subscale();

        int keyGroup();
    }

    /** The state of a key group that goes on being processed at its old owner. */
    record Base(Subscale subscale, int keyGroup, TreeMap<Long, Integer> content) implements Bulk {}

    /**
     * The state of a key group that has left, or of one bin of it.
     *
     * @param since null: this is all of it. Else what has changed since the copy
     */
    record Rest(
            Subscale subscale, int keyGroup, Bin bin, TreeMap<Long, Integer> all, Difference since)
            implements Bulk {}

    /**
     * @param size how many entries there are with those that have not changed
     */
    record Difference(TreeMap<Long, Integer> changed, Set<Long> removed, int size) {}

    /** A key group that was copied, at its old owner. */
    private static final class Copy {
        final TreeMap<Long, Integer> base;
        final Set<Long> touched = new HashSet<>();

        Copy(TreeMap<Long, Integer> base) {
            this.base = base;
        }
    }

    /** A subscale that is being copied. */
    private static final class Copying {
        final Subscale subscale;
        int next;
        boolean stopped;

        Copying(Subscale subscale) {
            this.subscale = subscale;
        }
    }

    private final Simulation sim;
    private final SimSubtask subtask;
    private final Map<Integer, Copy> copies = new HashMap<>();
    private final List<Copying> underWay = new ArrayList<>();

    /** Key groups whose entries do not say any more whether they are touched. */
    private final Set<Integer> released = new HashSet<>();

    private final Map<Integer, Long> sizes = new HashMap<>();

    /** By old owner, as each exchange has a thread of its own. */
    private final Map<Integer, ArrivingKeyGroups<TreeMap<Long, Integer>>> arriving =
            new HashMap<>();

    /** Key groups of which a copy has come that is not over. */
    private final Map<Integer, TreeMap<Long, Integer>> ahead = new HashMap<>();

    SimCopies(Simulation sim, SimSubtask subtask) {
        this.sim = sim;
        this.subtask = subtask;
    }

    // ---- old owner

    long size(Subscale s) {
        return sizes.computeIfAbsent(s.id(), x -> (long) sim.random.nextInt(4));
    }

    void begin(Subscale s, Map<Integer, TreeMap<Long, Integer>> state) {
        long bytes = size(s);
        for (Copying other : underWay) {
            bytes += size(other.subscale);
        }
        check(
                bytes <= sim.policies.copyAhead().window() || underWay.isEmpty(),
                "I4: " + bytes + " bytes are copied ahead at a time");
        for (int g : s.keyGroups()) {
            check(copies.get(g) == null, "key group " + g + " is copied twice");
            copies.put(g, new Copy(new TreeMap<>(state.getOrDefault(g, new TreeMap<>()))));
        }
        underWay.add(new Copying(s));
        sim.saw("copied ahead");
        if (sim.mutated(Mutation.COPIED_TOO_SOON)) {
            tellCopied(s);
        }
    }

    void stop(Subscale s) {
        sim.saw("copy stopped");
        for (Copying one : underWay) {
            one.stopped |= one.subscale.equals(s);
        }
        if (sim.mutated(Mutation.CANCELLED_WHILE_COPYING)) {
            underWay.forEach(one -> one.stopped &= !one.subscale.equals(s));
            tellCopied(s);
        }
    }

    boolean isUnderWay() {
        return !underWay.isEmpty();
    }

    /** One more key group goes out. */
    void step() {
        Copying one = underWay.get(sim.random.nextInt(underWay.size()));
        Subscale s = one.subscale;
        check(
                subtask.gate.outgoing().containsKey(s.id()),
                "a copy of " + s + " is sent when that is over");
        if (!one.stopped && one.next < s.keyGroups().length) {
            int g = s.keyGroups()[one.next++];
            Copy copy = copies.get(g);
            check(copy != null, "a copy of " + s + " is sent when it is not wanted any more");
            sim.bulk(s).add(new Base(s, g, new TreeMap<>(copy.base)));
            return;
        }
        underWay.remove(one);
        if (!sim.mutated(Mutation.COPIED_TOO_SOON)
                && !(one.stopped && sim.mutated(Mutation.CANCELLED_WHILE_COPYING))) {
            tellCopied(s);
        }
    }

    private void tellCopied(Subscale s) {
        sim.tell(
                "copied " + s.id(),
                () -> {
                    if (sim.mutated(Mutation.COPY_RELEASED_WHEN_SENT)) {
                        released.addAll(Arrays.stream(s.keyGroups()).boxed().toList());
                    }
                    subtask.gate.copied(s.id());
                    subtask.after();
                });
    }

    void drop(Subscale s) {
        for (int g : s.keyGroups()) {
            check(copies.remove(g) != null, "a copy is dropped that there is not");
            released.remove(g);
        }
    }

    /** An entry of a key group has been read or written. */
    void touched(int g, long entry) {
        Copy copy = copies.get(g);
        if (copy != null && !released.contains(g)) {
            copy.touched.add(entry);
        }
    }

    /** What has changed since the copy; null if there is none. Forgets the copy. */
    Difference detach(int g, TreeMap<Long, Integer> state) {
        Copy copy = copies.remove(g);
        released.remove(g);
        if (copy == null) {
            return null;
        }
        TreeMap<Long, Integer> changed = new TreeMap<>();
        Set<Long> removed = new HashSet<>();
        state.forEach(
                (entry, count) -> {
                    if (copy.touched.contains(entry)) {
                        changed.put(entry, count);
                    }
                });
        int unchanged = state.size() - changed.size();
        if (unchanged < copy.base.size()) {
            removed.addAll(copy.base.keySet());
            removed.removeAll(state.keySet());
        }
        sim.saw(changed.isEmpty() ? "nothing changed since the copy" : "changed since the copy");
        if (!removed.isEmpty()) {
            sim.saw("removed since the copy");
        }
        if (sim.mutated(Mutation.CHANGE_SINCE_COPY_LOST)) {
            changed.keySet().removeIf(copy.base::containsKey);
        }
        if (sim.mutated(Mutation.REMOVAL_SINCE_COPY_LOST)) {
            removed.clear();
        }
        return new Difference(changed, removed, state.size());
    }

    // ---- new owner

    void arrived(Base base) {
        TreeMap<Long, Integer> into = of(base);
        if (into != null) {
            into.putAll(base.content);
            ahead.put(base.keyGroup, into);
        }
    }

    /** All of a key group's state. */
    TreeMap<Long, Integer> arrived(Rest rest) {
        ArrivingKeyGroups<TreeMap<Long, Integer>> from = from(rest.subscale);
        ahead.remove(rest.keyGroup);
        boolean kept = sim.mutated(Mutation.COPY_KEPT);
        if (rest.since == null && !kept) {
            return rest.all;
        }
        TreeMap<Long, Integer> content = of(rest);
        from.complete(kept ? -1 : rest.subscale.id(), rest.keyGroup);
        if (rest.since == null) {
            content.putAll(rest.all);
            return content;
        }
        TreeMap<Long, Integer> base = new TreeMap<>(content);
        content.putAll(rest.since.changed);
        content.keySet().removeAll(rest.since.removed);
        if (sim.mutated(Mutation.COPY_OVER_DIFFERENCE)) {
            content.putAll(base);
        }
        boolean counts =
                sim.mutated(Mutation.REMOVAL_SINCE_COPY_LOST)
                        || kept
                        || sim.mutated(Mutation.COPY_OVER_DIFFERENCE);
        check(
                content.size() == rest.since.size || counts,
                content.size() + " entries of key group " + rest.keyGroup + " arrived");
        return content;
    }

    private TreeMap<Long, Integer> of(Bulk bulk) {
        int subscale = sim.mutated(Mutation.COPY_KEPT) ? -1 : bulk.subscale().id();
        return from(bulk.subscale()).of(subscale, bulk.keyGroup(), TreeMap::new);
    }

    private ArrivingKeyGroups<TreeMap<Long, Integer>> from(Subscale s) {
        return arriving.computeIfAbsent(s.oldOwner(), x -> new ArrivingKeyGroups<>());
    }

    /** An element says that the subscale is over. */
    void cancelled(int from, int subscale) {
        ArrivingKeyGroups<TreeMap<Long, Integer>> those =
                arriving.computeIfAbsent(from, x -> new ArrivingKeyGroups<>());
        int before = those.size();
        those.cancelled(subscale);
        if (those.size() < before) {
            sim.saw("copy dropped");
        }
    }

    /** Nothing is left of any copy. */
    boolean isClean() {
        return underWay.isEmpty()
                && copies.isEmpty()
                && arriving.values().stream().allMatch(from -> from.size() == 0);
    }

    /** What a checkpoint must not have. */
    Map<Integer, TreeMap<Long, Integer>> arrivedAhead() {
        return ahead;
    }
}
