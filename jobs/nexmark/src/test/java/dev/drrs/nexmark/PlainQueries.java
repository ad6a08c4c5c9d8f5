package dev.drrs.nexmark;

import dev.drrs.nexmark.generator.Event.Bid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
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

    /**
     * Of the outputs of a count those with the highest n: the rest depend on the order of arrival.
     */
    static Collection<String> lastOfEachKey(List<String> lines) {
        Map<Long, String> last = new HashMap<>();
        for (String line : lines) {
            last.merge(
                    JobRun.field(line, "key"),
                    line,
                    (one, other) ->
                            JobRun.field(one, "n") > JobRun.field(other, "n") ? one : other);
        }
        return last.values();
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
                windows.computeIfAbsent(start, s -> new HashMap<>())
                        .merge(bid.auction(), 1L, Long::sum);
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
                                                    .formatted(
                                                            auction, count, start, start + sizeMs));
                                }
                            });
                });
        return lines;
    }

    /** Sessions of the bidders; bids that are just a gap apart are in one session, as in Flink. */
    static List<String> q11(List<Bid> bids, long gapMs) {
        Map<Long, TreeMap<Long, Long>> times = new TreeMap<>();
        for (Bid bid : bids) {
            times.computeIfAbsent(bid.bidder(), b -> new TreeMap<>())
                    .merge(bid.timestamp(), 1L, Long::sum);
        }
        List<String> lines = new ArrayList<>();
        times.forEach(
                (bidder, counts) -> {
                    long start = counts.firstKey();
                    long last = start;
                    long sum = 0;
                    for (Map.Entry<Long, Long> entry : counts.entrySet()) {
                        if (entry.getKey() > last + gapMs) {
                            lines.add(session(bidder, sum, start, last + gapMs));
                            start = entry.getKey();
                            sum = 0;
                        }
                        last = entry.getKey();
                        sum += entry.getValue();
                    }
                    lines.add(session(bidder, sum, start, last + gapMs));
                });
        return lines;
    }

    private static String session(long bidder, long count, long start, long end) {
        return "{\"q\":\"q11\",\"bidder\":%d,\"bid_count\":%d,\"start_time\":%d,\"end_time\":%d}"
                .formatted(bidder, count, start, end);
    }

    /** All rows, also those that later ones replace. */
    static List<String> q17(List<Bid> bids) {
        Map<Long, List<Long>> prices = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (Bid bid : bids) {
            List<Long> all = prices.computeIfAbsent(bid.auction(), a -> new ArrayList<>());
            all.add(bid.price());
            long sum = all.stream().mapToLong(Long::longValue).sum();
            lines.add(
                    ("{\"q\":\"q17\",\"auction\":%d,\"day\":\"2015-07-15\",\"total_bids\":%d,\"rank1_bids\":%d,"
                                    + "\"rank2_bids\":%d,\"rank3_bids\":%d,\"min_price\":%d,\"max_price\":%d,"
                                    + "\"avg_price\":%d,\"sum_price\":%d}")
                            .formatted(
                                    bid.auction(),
                                    all.size(),
                                    all.stream().filter(price -> price < 10_000).count(),
                                    all.stream()
                                            .filter(price -> price >= 10_000 && price < 1_000_000)
                                            .count(),
                                    all.stream().filter(price -> price >= 1_000_000).count(),
                                    all.stream().min(Long::compare).orElseThrow(),
                                    all.stream().max(Long::compare).orElseThrow(),
                                    sum / all.size(),
                                    sum));
        }
        return lines;
    }

    static List<String> states(List<Bid> bids, ToLongFunction<Bid> key) {
        Map<Long, List<Bid>> seen = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (Bid bid : bids) {
            List<Bid> all = seen.computeIfAbsent(key.applyAsLong(bid), k -> new ArrayList<>());
            all.add(bid);
            List<Long> numbers = new ArrayList<>();
            for (int half = 0; half < 2; half++) {
                List<Long> latest =
                        all.stream()
                                .map(Bid::number)
                                .sorted(Comparator.reverseOrder())
                                .limit(16)
                                .toList();
                numbers.add((long) all.size());
                numbers.add((long) latest.size());
                numbers.add(latest.stream().mapToLong(Long::longValue).sum());
                for (int slot = 0; slot < 8; slot++) {
                    int wanted = slot;
                    numbers.add(all.stream().filter(b -> b.price() % 8 == wanted).count());
                }
                numbers.add(all.stream().mapToLong(Bid::price).max().orElseThrow());
                numbers.add(all.stream().mapToLong(Bid::price).sum() - all.size());
            }
            numbers.add(Math.max(all.size() - 4L, 0));
            long digest = 17;
            for (long number : numbers) {
                digest = 31 * digest + number;
            }
            lines.add(
                    "{\"q\":\"states\",\"key\":%d,\"n\":%d,\"digest\":%d}"
                            .formatted(key.applyAsLong(bid), all.size(), digest));
        }
        return lines;
    }
}
