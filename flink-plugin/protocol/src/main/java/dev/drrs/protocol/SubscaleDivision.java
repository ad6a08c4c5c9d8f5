package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The way from one placement to another: its subscales, and the order in which they start. */
final class SubscaleDivision {

    /** A key group that is larger by itself is a subscale of its own. */
    static final long MAX_BYTES = 4 << 20;

    static final long MAX_ENTRIES = 200_000;
    static final int MAX_KEY_GROUPS = 32;

    /** Where nothing is known of their size. */
    static final int MAX_KEY_GROUPS_UNKNOWN = 16;

    /**
     * Of a pair of owners that has at least twice as many subscales, so many of the coolest key
     * groups go first, each by itself.
     */
    static final int WARM_UP = 2;

    private final int[] present;
    private final int[] target;
    private final KeyGroupLoad load;
    private final int maxKeyGroups;

    private SubscaleDivision(int[] present, int[] target, KeyGroupLoad load, int maxKeyGroups) {
        this.present = present;
        this.target = target;
        this.load = load;
        this.maxKeyGroups =
                load.isKnown() ? maxKeyGroups : Math.min(maxKeyGroups, MAX_KEY_GROUPS_UNKNOWN);
    }

    /**
     * Subscales within the bounds, each with its hottest key group first.
     *
     * @param maxKeyGroups of a subscale, at least 1
     */
    static List<Move> divide(int[] present, int[] target, KeyGroupLoad load, int maxKeyGroups) {
        SubscaleDivision division = new SubscaleDivision(present, target, load, maxKeyGroups);
        return warmedUp(division.ordered(division.divided()));
    }

    private List<Move> divided() {
        List<Move> moves = new ArrayList<>();
        OwnerPair.exchanges(present, target)
                .forEach((pair, keyGroups) -> addParts(moves, pair, keyGroups));
        return moves;
    }

    private void addParts(List<Move> moves, OwnerPair pair, List<Integer> keyGroups) {
        keyGroups.sort(Comparator.comparing((Integer keyGroup) -> -load.records()[keyGroup]));
        List<Integer> part = new ArrayList<>();
        long bytes = 0;
        long entries = 0;
        for (int keyGroup : keyGroups) {
            bytes += load.bytes()[keyGroup];
            entries += load.entries()[keyGroup];
            boolean full =
                    bytes > MAX_BYTES || entries > MAX_ENTRIES || part.size() == maxKeyGroups;
            if (full && !part.isEmpty()) {
                moves.add(pair.move(part));
                part.clear();
                bytes = load.bytes()[keyGroup];
                entries = load.entries()[keyGroup];
            }
            part.add(keyGroup);
        }
        moves.add(pair.move(part));
    }

    /**
     * Always the hottest subscale of the new owner that has least so far: so a start fills all new
     * owners side by side.
     */
    private List<Move> ordered(List<Move> moves) {
        Map<Integer, Double> heat = new HashMap<>();
        for (int keyGroup = 0; keyGroup < present.length; keyGroup++) {
            boolean stays = present[keyGroup] == target[keyGroup];
            heat.merge(target[keyGroup], stays ? weight(keyGroup) : 0, Double::sum);
        }
        Map<Integer, Deque<Move>> waiting = new TreeMap<>();
        moves.stream()
                .sorted(Comparator.comparing((Move move) -> -heat(move)))
                .forEach(
                        move ->
                                waiting.computeIfAbsent(move.to(), owner -> new ArrayDeque<>())
                                        .add(move));
        List<Move> ordered = new ArrayList<>();
        while (!waiting.isEmpty()) {
            int owner =
                    waiting.keySet().stream().min(Comparator.comparing(heat::get)).orElseThrow();
            Move move = waiting.get(owner).remove();
            waiting.values().removeIf(Deque::isEmpty);
            heat.merge(owner, heat(move), Double::sum);
            ordered.add(move);
        }
        return ordered;
    }

    private double heat(Move move) {
        return Arrays.stream(move.keyGroups()).mapToDouble(this::weight).sum();
    }

    /** A key group without records counts a little, or one owner would get all of them first. */
    private double weight(int keyGroup) {
        return load.records()[keyGroup] + 1e-6;
    }

    /**
     * What moves first meets code that no JVM has compiled yet and exchanges that have not sent
     * anything: a hot key group would wait for that, and several together for each other.
     */
    private static List<Move> warmedUp(List<Move> ordered) {
        Map<OwnerPair, List<Move>> pairs = new LinkedHashMap<>();
        for (Move move : ordered) {
            pairs.computeIfAbsent(new OwnerPair(move.from(), move.to()), pair -> new ArrayList<>())
                    .add(move);
        }
        List<Move> first = new ArrayList<>();
        Set<Integer> alone = new HashSet<>();
        pairs.forEach(
                (pair, moves) -> {
                    if (moves.size() >= 2 * WARM_UP) {
                        List<Integer> keyGroups = new ArrayList<>();
                        moves.forEach(
                                move -> Arrays.stream(move.keyGroups()).forEach(keyGroups::add));
                        for (int i = 1; i <= WARM_UP; i++) {
                            int keyGroup = keyGroups.get(keyGroups.size() - i);
                            first.add(pair.move(List.of(keyGroup)));
                            alone.add(keyGroup);
                        }
                    }
                });
        for (Move move : ordered) {
            List<Integer> rest =
                    Arrays.stream(move.keyGroups())
                            .filter(k -> !alone.contains(k))
                            .boxed()
                            .toList();
            if (!rest.isEmpty()) {
                first.add(new OwnerPair(move.from(), move.to()).move(rest));
            }
        }
        return first;
    }
}
