package dev.drrs.nexmark.query;

/**
 * Statistics of the bids of an auction on one day. A Flink POJO: public fields, changed in place.
 */
public final class AuctionStats {

    private static final long RANK_2_FROM = 10_000;
    private static final long RANK_3_FROM = 1_000_000;

    public long totalBids;
    public long rank1Bids;
    public long rank2Bids;
    public long rank3Bids;
    public long minPrice = Long.MAX_VALUE;
    public long maxPrice;
    public long sumPrice;

    void add(long price) {
        totalBids++;
        if (price < RANK_2_FROM) {
            rank1Bids++;
        } else if (price < RANK_3_FROM) {
            rank2Bids++;
        } else {
            rank3Bids++;
        }
        minPrice = Math.min(minPrice, price);
        maxPrice = Math.max(maxPrice, price);
        sumPrice += price;
    }
}
