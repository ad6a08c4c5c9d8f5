package dev.drrs.nexmark.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import dev.drrs.nexmark.generator.Workload.Layout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published values of Beam's generator at 10 000 events per second. */
class OracleTest {

    private static final long BASE = Workload.NEXMARK_BASE_TIME_MS;
    private static final long TEN_SECONDS = 10_000;

    @ParameterizedTest
    @CsvSource({
        "1000, 6667879491, 96122704, 920000, 922810",
        "10000, 67588884531, 99865927, 11526044, 9677982",
        "100000, 667953890778, 99958591, 363648112, 172130989",
        "1000000, 6659865839701, 99995975, 28477004074, 9975213650"
    })
    void sumsOverBidsAreTheOracles(
            long events, long prices, long highest, long auctions, long bidders) {
        List<Bid> bids = bids(1, events, 1);
        assertThat(bids).hasSize((int) (events / 50 * 46));
        assertThat(bids.stream().mapToLong(Bid::price).sum()).isEqualTo(prices);
        assertThat(bids.stream().mapToLong(Bid::price).max()).hasValue(highest);
        assertThat(bids.stream().mapToLong(Bid::auction).sum()).isEqualTo(auctions);
        assertThat(bids.stream().mapToLong(Bid::bidder).sum()).isEqualTo(bidders);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1000, 1, 2, 5, 30, 1",
        "1, 10000, 1, 4, 10, 196, 378",
        "100, 10000, 1, 4, 10, 196, 378",
        "1, 100000, 1, 5, 15, 1919, 4657",
        "100, 100000, 1, 12, 53, 1919, 4657",
        "1, 100000, 1000, 5, 15, 1919, 4657"
    })
    void rowCountsOfQueriesAreTheOracles(
            int generators,
            long events,
            int disorder,
            int q5slide5,
            int q5slide2,
            int q11,
            int q17) {
        List<Bid> bids = bids(generators, events, disorder);
        assertThat(hotAuctions(bids, 5000)).isEqualTo(q5slide5);
        assertThat(hotAuctions(bids, 2000)).isEqualTo(q5slide2);
        assertThat(sessions(bids)).isEqualTo(q11);
        assertThat(bids.stream().map(Bid::auction).distinct().count()).isEqualTo(q17);
    }

    @Test
    void firstEventsAreTheOracles() {
        SplitPlan plan = beam(1, 1000, 1).split(0);
        assertThat(plan.event(0))
                .isInstanceOfSatisfying(
                        Person.class,
                        person -> {
                            assertThat(person.id()).isEqualTo(1000);
                            assertThat(person.name()).isEqualTo("Peter Jones");
                            assertThat(person.state()).isEqualTo("WY");
                            assertThat(person.timestamp()).isEqualTo(BASE);
                        });
        assertThat(plan.event(1))
                .isEqualTo(new Auction(1, 0, BASE, 1000, 28_873, 29_448, BASE + 11, 1000, 13));
        assertThat(plan.event(2))
                .isEqualTo(
                        new Auction(
                                2, 0, BASE, 1001, 25_626_290, 28_805_847, BASE + 202, 1000, 12));
        assertThat(plan.event(3))
                .isEqualTo(new Auction(3, 0, BASE, 1002, 267, 422_398, BASE + 1, 1000, 10));
        assertThat(plan.event(4)).isEqualTo(new Bid(4, 0, BASE, 1000, 1001, 32_530_001));
        assertThat(plan.event(5)).isEqualTo(new Bid(5, 0, BASE, 1000, 1009, 468_715));
        assertThat(plan.event(6)).isEqualTo(new Bid(6, 0, BASE, 1000, 1001, 300_435));
        assertThat(plan.event(50))
                .isInstanceOfSatisfying(
                        Person.class,
                        person -> {
                            assertThat(person.name()).isEqualTo("Sarah Smith");
                            assertThat(person.state()).isEqualTo("ID");
                            assertThat(person.timestamp()).isEqualTo(BASE + 5);
                        });
        assertThat(plan.event(51))
                .isInstanceOfSatisfying(
                        Auction.class,
                        auction -> {
                            assertThat(auction.id()).isEqualTo(1003);
                            assertThat(auction.category()).isEqualTo(11);
                            assertThat(auction.initialBid()).isEqualTo(5_037_490);
                            assertThat(auction.reserve()).isEqualTo(5_980_861);
                            assertThat(auction.expires()).isEqualTo(BASE + 8);
                        });
        assertThat(plan.event(54)).isEqualTo(new Bid(54, 5, BASE + 5, 1000, 1001, 5676));
    }

    @Test
    void auctionTimesFollowTheNumberOfGenerators() {
        assertThat(beam(100, 100_000, 1).split(0).event(1))
                .isInstanceOfSatisfying(
                        Auction.class,
                        auction -> {
                            assertThat(auction.timestamp()).isEqualTo(BASE + 10);
                            assertThat(auction.expires()).isEqualTo(BASE + 9425);
                        });
    }

    static Workload beam(int generators, long events, int disorder) {
        return new Workload(
                Mode.BEAM,
                0,
                0,
                events,
                Layout.GENERATORS,
                generators,
                RateSchedule.constant(10_000, generators),
                BASE,
                disorder);
    }

    private static List<Bid> bids(int generators, long events, int disorder) {
        Workload workload = beam(generators, events, disorder);
        List<Bid> bids = new ArrayList<>();
        for (int split = 0; split < generators; split++) {
            SplitPlan plan = workload.split(split);
            for (long position = 0; position < plan.size(); position++) {
                if (plan.event(position) instanceof Bid bid) {
                    bids.add(bid);
                }
            }
        }
        return bids;
    }

    private static int hotAuctions(List<Bid> bids, long slideMs) {
        Map<Long, Map<Long, Integer>> counts = new HashMap<>();
        for (Bid bid : bids) {
            long lastStart = bid.timestamp() - Math.floorMod(bid.timestamp(), slideMs);
            for (long start = lastStart; start > bid.timestamp() - TEN_SECONDS; start -= slideMs) {
                counts.computeIfAbsent(start, s -> new HashMap<>())
                        .merge(bid.auction(), 1, Integer::sum);
            }
        }
        int rows = 0;
        for (Map<Long, Integer> window : counts.values()) {
            int most = window.values().stream().max(Integer::compare).orElseThrow();
            rows += (int) window.values().stream().filter(count -> count == most).count();
        }
        return rows;
    }

    private static int sessions(List<Bid> bids) {
        Map<Long, Set<Long>> times = new HashMap<>();
        for (Bid bid : bids) {
            times.computeIfAbsent(bid.bidder(), b -> new TreeSet<>()).add(bid.timestamp());
        }
        int sessions = 0;
        for (Set<Long> sorted : times.values()) {
            long end = Long.MIN_VALUE;
            for (long time : sorted) {
                if (time > end) {
                    sessions++;
                }
                end = time + TEN_SECONDS;
            }
        }
        return sessions;
    }

    @Test
    void disorderEmitsTheSameEventsInAnotherOrder() {
        assertThat(new HashSet<>(numbers(1000))).isEqualTo(new HashSet<>(numbers(1)));
        assertThat(numbers(1000)).isNotEqualTo(numbers(1));
        assertThat(numbers(1000)).hasSize(10_300);
    }

    private static List<Long> numbers(int disorder) {
        return eventsOf(beam(1, 10_300, disorder).split(0)).stream().map(Event::number).toList();
    }

    static List<Event> eventsOf(SplitPlan plan) {
        List<Event> events = new ArrayList<>();
        for (long position = 0; position < plan.size(); position++) {
            events.add(plan.event(position));
        }
        return events;
    }
}
