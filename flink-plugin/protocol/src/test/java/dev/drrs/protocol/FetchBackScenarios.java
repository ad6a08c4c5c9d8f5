package dev.drrs.protocol;

import dev.drrs.protocol.FetchBackParts.Element;
import dev.drrs.protocol.FetchBackParts.Kind;
import dev.drrs.protocol.FetchBackSimulation.Lends;
import dev.drrs.protocol.FetchBackSimulation.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What predecessors send in {@link FetchBackSimulation}. */
final class FetchBackScenarios {

    /** Out of reach of all watermarks but the last. */
    private static final long FAR = 1_000_000;

    private FetchBackScenarios() {}

    static Element reroute(int subscale) {
        return Element.signal(Kind.REROUTE, subscale);
    }

    static Element watermark(long time) {
        return Element.time(Kind.WATERMARK, time);
    }

    static Element record(int key, long time) {
        return new Element(Kind.RECORD, key, 0, time, 0, 0);
    }

    /** One key, which goes from subtask 0 to subtask 1. */
    static Scenario oneKey(FetchBackBug bug, List<Element> first, List<Element> second) {
        int[][] moves = {{0, 1}};
        return new Scenario(Lends.ONCE, bug, 2, moves, 1, 9, List.of(first, second));
    }

    /**
     * @param idle whether some predecessors go idle at times
     * @param far whether no timer is due before the end
     */
    static Scenario any(Random random, Lends lends, FetchBackBug bug, boolean idle, boolean far) {
        int owners = 2 + random.nextInt(2);
        int[][] moves = new int[1 + random.nextInt(3)][];
        for (int s = 0; s < moves.length; s++) {
            int from = random.nextInt(owners);
            moves[s] = new int[] {from, (from + 1 + random.nextInt(owners - 1)) % owners};
        }
        int keys = moves.length * (1 + random.nextInt(3));
        List<List<Element>> scripts = new ArrayList<>();
        for (int u = 2 + random.nextInt(2); u > 0; u--) {
            boolean mayIdle = idle && random.nextBoolean();
            scripts.add(script(random, moves.length, keys, mayIdle, far ? FAR : 0));
        }
        return new Scenario(lends, bug, owners, moves, keys, 1 + random.nextInt(5), scripts);
    }

    private static List<Element> script(
            Random random, int subscales, int keys, boolean mayIdle, long ahead) {
        List<Element> out = new ArrayList<>();
        long time = 0;
        boolean idle = false;
        int next = 0;
        for (int left = 10 + random.nextInt(20); left > 0 || next < subscales; left--) {
            int what = random.nextInt(20);
            if (what == 0 || left < 0) {
                if (next < subscales) {
                    out.add(reroute(next++));
                }
            } else if (what < 6 && !idle) {
                time += 1 + random.nextInt(10);
                out.add(watermark(time));
            } else if (what < 8 && mayIdle || idle) {
                idle = !idle;
                out.add(Element.time(Kind.STATUS, idle ? 1 : 0));
            } else {
                out.add(record(random.nextInt(keys), time + ahead + 1 + random.nextInt(15)));
            }
        }
        if (idle) {
            out.add(Element.time(Kind.STATUS, 0));
        }
        out.add(watermark(Long.MAX_VALUE));
        return out;
    }

    /**
     * A scale-out: 16 bins leave subtask 0, which keeps three of seven records; their keys are
     * drawn from Zipf's distribution with exponent 1.
     *
     * @param spread of how many elements each the last predecessor sends its signal later
     */
    static Scenario scaleOut(Lends lends, FetchBackBug bug, int spread) {
        Random random = new Random(1);
        int[][] moves = {{0, 1}, {0, 0}, {1, 1}};
        List<List<Element>> scripts = new ArrayList<>();
        for (int u = 0; u < 4; u++) {
            List<Element> out = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                if (i == 100 + u * spread / 3) {
                    out.add(reroute(0));
                }
                int what = random.nextInt(10);
                int key = what < 4 ? moves.length * zipf(random, 16) : what < 7 ? 1 : 2;
                out.add(i % 20 == 0 ? watermark(i) : record(key, i + 1 + random.nextInt(40)));
            }
            out.add(watermark(Long.MAX_VALUE));
            scripts.add(out);
        }
        return new Scenario(lends, bug, 2, moves, 16 * moves.length, Integer.MAX_VALUE, scripts);
    }

    private static int zipf(Random random, int bins) {
        double sum = 0;
        for (int bin = 1; bin <= bins; bin++) {
            sum += 1.0 / bin;
        }
        double left = random.nextDouble() * sum;
        int bin = 0;
        while (bin < bins - 1 && left > 1.0 / (bin + 1)) {
            left -= 1.0 / ++bin;
        }
        return bin;
    }
}
