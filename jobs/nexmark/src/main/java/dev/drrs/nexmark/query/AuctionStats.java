package dev.drrs.nexmark.query;

/**
 * Statistics of the bids of an auction on one day. A Flink POJO: public fields, changed in place.
 */
public final class AuctionStats {

    public long totalBids;
    public long rank1Bids;
    public long rank2Bids;
    public long rank3Bids;
    public long minPrice = Long.MAX_VALUE;
    public long maxPrice;
    public long sumPrice;

    void add(long price) {
        totalBids++;
        switch (PriceRank.of(price)) {
            case 1 -> rank1Bids++;
            case 2 -> rank2Bids++;
            default -> rank3Bids++;
        }
        minPrice = Math.min(minPrice, price);
        maxPrice = Math.max(maxPrice, price);
        sumPrice += price;
    }
}
