package dev.drrs.nexmark.query;

/** The three ranks of prices in the statistics of Nexmark. */
final class PriceRank {

    private static final long RANK_2_FROM = 10_000;
    private static final long RANK_3_FROM = 1_000_000;

    private PriceRank() {}

    /** 1, 2 or 3. */
    static int of(long price) {
        if (price < RANK_2_FROM) {
            return 1;
        }
        return price < RANK_3_FROM ? 2 : 3;
    }
}
