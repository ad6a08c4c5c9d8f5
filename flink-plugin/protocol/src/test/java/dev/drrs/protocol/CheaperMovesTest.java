package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CheaperMovesTest {

    private static final int CASES = 2000;

    @Test
    void noPlanCostsMoreIsLessEvenOrMovesMoreThanTheOneItImproves() {
        int cheaper = 0;
        for (int seed = 0; seed < CASES; seed++) {
            Random random = new Random(seed);
            int keyGroups = 1 + random.nextInt(150);
            int owners = 1 + random.nextInt(Math.min(10, keyGroups));
            int[] present = random.ints(keyGroups, 0, 1 + random.nextInt(10)).toArray();
            KeyGroupLoad load = load(random, keyGroups);
            List<Integer> after = IntStream.range(0, owners).boxed().toList();
            int[] even = EvenPlacement.of(present, after);
            int[] better = CheaperMoves.of(present, even, load);

            String what = "seed " + seed;
            for (int owner = 0; owner < 10; owner++) {
                int each = owner;
                assertThat(count(better, each)).as(what).isEqualTo(count(even, each));
            }
            assertThat(moves(present, better).length)
                    .as(what)
                    .isEqualTo(moves(present, even).length);
            assertThat((double) most(better, load))
                    .as(what)
                    .isLessThanOrEqualTo(1.02 * most(even, load));
            double cost = cost(present, better, load);
            assertThat(cost).as(what).isLessThanOrEqualTo(cost(present, even, load) * (1 + 1e-9));
            cheaper += cost < cost(present, even, load) ? 1 : 0;
        }
        assertThat(cheaper).isGreaterThan(CASES / 4);
    }

    private static KeyGroupLoad load(Random random, int keyGroups) {
        KeyGroupLoad load = KeyGroupLoad.unknown(keyGroups);
        Arrays.setAll(load.records(), keyGroup -> amount(random));
        Arrays.setAll(load.bytes(), keyGroup -> amount(random));
        return load;
    }

    private static long amount(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(1 << 30);
            default -> random.nextInt(1000);
        };
    }

    private static int[] moves(int[] present, int[] target) {
        return IntStream.range(0, present.length).filter(g -> present[g] != target[g]).toArray();
    }

    private static long count(int[] placement, int owner) {
        return IntStream.of(placement).filter(o -> o == owner).count();
    }

    private static double cost(int[] present, int[] target, KeyGroupLoad load) {
        return IntStream.of(moves(present, target))
                .mapToDouble(g -> (double) load.records()[g] * Math.max(load.bytes()[g], 1))
                .sum();
    }

    private static long most(int[] placement, KeyGroupLoad load) {
        long[] totals = new long[10];
        for (int keyGroup = 0; keyGroup < placement.length; keyGroup++) {
            totals[placement[keyGroup]] += load.records()[keyGroup];
        }
        return Arrays.stream(totals).max().orElseThrow();
    }

    @Test
    void aHotKeyGroupStaysWhereTheBalanceIsTheSame() {
        KeyGroupLoad load = KeyGroupLoad.unknown(8);
        Arrays.fill(load.records(), 1);
        load.records()[7] = 1000;
        int[] present = new int[8];
        int[] even = {0, 0, 0, 0, 1, 1, 1, 1};
        int[] better = CheaperMoves.of(present, even, load);
        assertThat(better[7]).isZero();
        assertThat(count(better, 1)).isEqualTo(4);
    }

    @Test
    void aHotKeyGroupMovesWhereTheBalanceNeedsIt() {
        KeyGroupLoad load = KeyGroupLoad.unknown(4);
        System.arraycopy(new long[] {10, 10, 1, 1}, 0, load.records(), 0, 4);
        int[] target = {0, 1, 0, 1};
        assertThat(CheaperMoves.of(new int[4], target, load)).isEqualTo(target);
    }

    @Test
    void aSmallOneMovesInsteadOfALargeOneThatIsAsHot() {
        KeyGroupLoad load = KeyGroupLoad.unknown(4);
        Arrays.fill(load.records(), 1);
        System.arraycopy(new long[] {1, 1, 100, 100}, 0, load.bytes(), 0, 4);
        assertThat(CheaperMoves.of(new int[4], new int[] {0, 0, 1, 1}, load))
                .containsExactly(1, 1, 0, 0);
    }

    @Test
    void whereNothingIsKnownAllStaysAsPlanned() {
        int[] target = {0, 0, 1, 1};
        assertThat(CheaperMoves.of(new int[4], target, KeyGroupLoad.unknown(4))).isEqualTo(target);
    }
}
