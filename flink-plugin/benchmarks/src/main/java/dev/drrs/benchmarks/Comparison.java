package dev.drrs.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The scores of one benchmark: one per variant and round, so that a round holds a pair of every
 * variant with stock.
 */
final class Comparison {

    /**
     * Bytes per record that are no allocation per record: buffers and futures once per many records
     * vary a little.
     */
    static final double ALLOCATION_SLACK = 0.25;

    private final String benchmark;
    private final Map<Variant, List<Score>> scores = new EnumMap<>(Variant.class);

    Comparison(String benchmark) {
        this.benchmark = benchmark;
    }

    String benchmark() {
        return benchmark;
    }

    void add(Variant variant, Score score) {
        scores.computeIfAbsent(variant, v -> new ArrayList<>()).add(score);
    }

    List<Score> scores(Variant variant) {
        return scores.get(variant);
    }

    /** Those compared with stock. */
    List<Variant> variants() {
        return scores.keySet().stream().filter(variant -> variant != Variant.STOCK).toList();
    }

    /** Throughput relative to stock in each round, ascending: below 1 is slower than stock. */
    double[] ratios(Variant variant) {
        List<Score> stock = scores.get(Variant.STOCK);
        List<Score> other = scores.get(variant);
        double[] ratios = new double[stock.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = stock.get(i).nanos() / other.get(i).nanos();
        }
        Arrays.sort(ratios);
        return ratios;
    }

    /** The least of all rounds: noise only ever adds. */
    double bytes(Variant variant) {
        return scores.get(variant).stream().mapToDouble(Score::bytes).min().orElseThrow();
    }

    /** Median nanoseconds per operation. */
    double nanos(Variant variant) {
        return median(scores.get(variant).stream().mapToDouble(Score::nanos).sorted().toArray());
    }

    boolean allocatesMore(Variant variant) {
        return bytes(variant) > bytes(Variant.STOCK) + ALLOCATION_SLACK;
    }

    static double median(double[] ascending) {
        int middle = ascending.length / 2;
        return ascending.length % 2 == 1
                ? ascending[middle]
                : (ascending[middle - 1] + ascending[middle]) / 2;
    }
}
