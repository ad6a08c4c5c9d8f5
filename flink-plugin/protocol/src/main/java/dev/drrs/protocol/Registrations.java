package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The subscales of a rescale that are still to be registered, by pair of owners and in the order of
 * the plan, and how many owners have been told of. What it costs goes by pairs, not by subscales.
 * In the {@link Migration}'s thread.
 */
final class Registrations implements StartRule.Registered {

    /** A subscale and its place in the order of the plan. */
    private record Planned(int place, Subscale subscale) {}

    /** By id of a subscale: key groups in front of it. */
    private final Map<Integer, Long> before = new HashMap<>();

    /** Per pair, without those that have none left. */
    private final Map<OwnerPair, ArrayDeque<Planned>> planned = new HashMap<>();

    /** The first one of each pair, by its place. */
    private final TreeMap<Integer, Subscale> first = new TreeMap<>();

    private final Map<OwnerPair, Integer> unsettled = new HashMap<>();

    /** Those that are taken in the call of {@link #take} under way. */
    private final Map<OwnerPair, Integer> now = new HashMap<>();

    private int places;
    private int allUnsettled;
    private int open;
    private long keyGroups;
    private long keyGroupsOver;

    /** Behind those that are planned by now. */
    void plan(Subscale subscale) {
        Planned last = new Planned(places++, subscale);
        before.put(subscale.id(), keyGroups);
        keyGroups += subscale.keyGroups().length;
        ArrayDeque<Planned> queue =
                planned.computeIfAbsent(OwnerPair.of(subscale), pair -> new ArrayDeque<>());
        queue.add(last);
        if (queue.size() == 1) {
            first.put(last.place, subscale);
        }
    }

    /** Those that the rule has registered now, which count as such from here on. */
    List<Subscale> take(StartRule rule) {
        List<Subscale> taken = new ArrayList<>();
        now.clear();
        for (Map.Entry<Integer, Subscale> at = first.firstEntry();
                at != null;
                at = first.higherEntry(at.getKey())) {
            if (rule.registers(at.getValue(), this)) {
                first.remove(at.getKey());
                take(at.getValue());
                taken.add(at.getValue());
            }
        }
        return taken;
    }

    private void take(Subscale subscale) {
        OwnerPair pair = OwnerPair.of(subscale);
        ArrayDeque<Planned> queue = planned.get(pair);
        queue.remove();
        if (queue.isEmpty()) {
            planned.remove(pair);
        } else { // a later place: it is asked about in the same round
            first.put(queue.element().place, queue.element().subscale);
        }
        unsettled.merge(pair, 1, Integer::sum);
        now.merge(pair, 1, Integer::sum);
        allUnsettled++;
        open++;
    }

    /** None that is planned will be registered. */
    void drop() {
        planned.values().forEach(queue -> queue.forEach(one -> over(one.subscale)));
        planned.clear();
        first.clear();
    }

    void settled(Subscale subscale) {
        unsettled.merge(OwnerPair.of(subscale), -1, Integer::sum);
        allUnsettled--;
        over(subscale);
    }

    private void over(Subscale subscale) {
        keyGroupsOver += subscale.keyGroups().length;
    }

    /** It has joined. */
    void joined() {
        open--;
    }

    /** It was registered, and has been dropped. */
    void dropped(Subscale subscale) {
        settled(subscale);
        open--;
    }

    @Override
    public int unsettled(int oldOwner, int newOwner) {
        return unsettled.getOrDefault(new OwnerPair(oldOwner, newOwner), 0);
    }

    @Override
    public int now(int oldOwner, int newOwner) {
        return now.getOrDefault(new OwnerPair(oldOwner, newOwner), 0);
    }

    @Override
    public int unsettled() {
        return allUnsettled;
    }

    @Override
    public int open() {
        return open;
    }

    @Override
    public long keyGroupsBefore(Subscale subscale) {
        return before.get(subscale.id());
    }

    @Override
    public long keyGroupsOver() {
        return keyGroupsOver;
    }
}
