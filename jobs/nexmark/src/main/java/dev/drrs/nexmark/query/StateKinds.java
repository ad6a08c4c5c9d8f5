package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event.Bid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * One state of each kind, all fed from the same bids. What they hold does not depend on the order
 * of the bids, so the digest of a key's n-th bid depends only on which bids came before.
 */
final class StateKinds {

    /** The list keeps the numbers of this many latest events. */
    static final int LIST_LIMIT = 16;

    /** The map counts the bids by their price modulo this. */
    static final int MAP_KEYS = 8;

    private final ValueState<Long> count;
    private final ListState<Long> latest;
    private final MapState<Integer, Long> byPrice;
    private final ReducingState<Long> highest;
    private final AggregatingState<Long, Long> sum;

    /**
     * @param prefix of the names of the states
     * @param ttl null = without
     */
    StateKinds(RuntimeContext context, String prefix, StateTtlConfig ttl) {
        count =
                context.getState(
                        with(ttl, new ValueStateDescriptor<>(prefix + "value", Types.LONG)));
        latest =
                context.getListState(
                        with(ttl, new ListStateDescriptor<>(prefix + "list", Types.LONG)));
        byPrice =
                context.getMapState(
                        with(ttl, new MapStateDescriptor<>(prefix + "map", Types.INT, Types.LONG)));
        highest =
                context.getReducingState(
                        with(
                                ttl,
                                new ReducingStateDescriptor<>(
                                        prefix + "reducing", Math::max, Types.LONG)));
        sum =
                context.getAggregatingState(
                        with(
                                ttl,
                                new AggregatingStateDescriptor<>(
                                        prefix + "aggregating",
                                        new Sum(),
                                        Types.TUPLE(Types.LONG, Types.LONG))));
    }

    private static <D extends StateDescriptor<?, ?>> D with(StateTtlConfig ttl, D descriptor) {
        if (ttl != null) {
            descriptor.enableTimeToLive(ttl);
        }
        return descriptor;
    }

    /** Adds a bid and returns how many there are now. */
    long add(Bid bid) throws Exception {
        long n = (count.value() == null ? 0 : count.value()) + 1;
        count.update(n);
        addToLatest(bid.number());
        int slot = (int) (bid.price() % MAP_KEYS);
        byPrice.put(slot, (byPrice.contains(slot) ? byPrice.get(slot) : 0) + 1);
        highest.add(bid.price());
        sum.add(bid.price());
        return n;
    }

    private void addToLatest(long number) throws Exception {
        latest.add(number);
        List<Long> held = new ArrayList<>();
        latest.get().forEach(held::add);
        if (held.size() > LIST_LIMIT) {
            held.remove(Collections.min(held));
            latest.update(held);
        }
    }

    /**
     * Folds into a digest, in this order: the count, size and sum of the list, the map's counts by
     * slot, the highest price, the sum of prices less the count.
     */
    long fold(long digest) throws Exception {
        long size = 0;
        long listSum = 0;
        for (long number : latest.get()) {
            size++;
            listSum += number;
        }
        long folded = Digest.fold(digest, count.value());
        folded = Digest.fold(folded, size);
        folded = Digest.fold(folded, listSum);
        for (int slot = 0; slot < MAP_KEYS; slot++) {
            folded = Digest.fold(folded, byPrice.contains(slot) ? byPrice.get(slot) : 0);
        }
        folded = Digest.fold(folded, highest.get());
        return Digest.fold(folded, sum.get());
    }

    /** Sum of prices less their number; accumulator and result are of different types. */
    private static final class Sum implements AggregateFunction<Long, Tuple2<Long, Long>, Long> {

        @Override
        public Tuple2<Long, Long> createAccumulator() {
            return Tuple2.of(0L, 0L);
        }

        @Override
        public Tuple2<Long, Long> add(Long value, Tuple2<Long, Long> sumAndCount) {
            return Tuple2.of(sumAndCount.f0 + value, sumAndCount.f1 + 1);
        }

        @Override
        public Long getResult(Tuple2<Long, Long> sumAndCount) {
            return sumAndCount.f0 - sumAndCount.f1;
        }

        @Override
        public Tuple2<Long, Long> merge(Tuple2<Long, Long> one, Tuple2<Long, Long> other) {
            return Tuple2.of(one.f0 + other.f0, one.f1 + other.f1);
        }
    }
}
