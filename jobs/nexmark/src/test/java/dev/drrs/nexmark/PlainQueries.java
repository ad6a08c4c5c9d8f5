package dev.drrs.nexmark;

import dev.drrs.nexmark.generator.Event.Bid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** Each query as a plain loop over the bids; gives the lines that the job must write. */
final class PlainQueries {

    private PlainQueries() {}

    static List<String> count(List<Bid> bids, ToLongFunction<Bid> key) {
        Map<Long, long[]> state = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (Bid bid : bids) {
            long[] countAndSum = state.computeIfAbsent(key.applyAsLong(bid), k -> new long[2]);
            countAndSum[0]++;
            countAndSum[1] += bid.price();
            lines.add(
                    "{\"q\":\"count\",\"key\":%d,\"n\":%d,\"sum\":%d}"
                            .formatted(key.applyAsLong(bid), countAndSum[0], countAndSum[1]));
        }
        return lines;
    }

    /** Event-time timers only: the times of the others are not known. */
    static List<String> eventTimers(List<Bid> bids, ToLongFunction<Bid> key) {
        Map<Long, TreeMap<Long, Long>> seconds = new HashMap<>();
        for (Bid bid : bids) {
            seconds.computeIfAbsent(key.applyAsLong(bid), k -> new TreeMap<>())
                    .merge(bid.timestamp() / 1000 * 1000 + 1000, 1L, Long::sum);
        }
        List<String> lines = new ArrayList<>();
        seconds.forEach(
                (k, counts) -> {
                    long sum = 0;
                    for (Map.Entry<Long, Long> second : counts.entrySet()) {
                        sum += second.getValue();
                        lines.add(
                                "{\"q\":\"timer\",\"key\":%d,\"kind\":\"event\",\"at\":%d,\"n\":%d}"
                                        .formatted(k, second.getKey(), sum));
                    }
                });
        return lines;
    }

    static List<String> q5(List<Bid> bids, long sizeMs, long slideMs) {
        Map<Long, Map<Long, Long>> windows = new HashMap<>();
        for (Bid bid : bids) {
            long lastStart = bid.timestamp() - Math.floorMod(bid.timestamp(), slideMs);
            for (long start = lastStart; start > bid.timestamp() - sizeMs; start -= slideMs) {
                windows.computeIfAbsent(start, s -> new HashMap<>()).merge(bid.auction(), 1L, Long::sum);
            }
        }
        List<String> lines = new ArrayList<>();
        windows.forEach(
                (start, counts) -> {
                    long most = counts.values().stream().max(Long::compare).orElseThrow();
                    counts.forEach(
                            (auction, count) -> {
                                if (count == most) {
                                    lines.add(
                                            ("{\"q\":\"q5\",\"auction\":%d,\"num\":%d,\"window_start\":%d,"
                                                            + "\"window_end\":%d}")
                                                    .formatted(auction, count, start, start + sizeMs));
                                }
                            });
                });
        return lines;
    }
}
