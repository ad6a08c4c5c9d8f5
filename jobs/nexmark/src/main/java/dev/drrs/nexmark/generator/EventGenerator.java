package dev.drrs.nexmark.generator;

import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import java.util.List;
import java.util.Random;

/**
 * Makes the Nexmark event of a given number. Every event has its own random source, so events may
 * be made in any order and any split; the order of draws within one event is part of the format and
 * must not change.
 */
public final class EventGenerator {

    /** Public ids of persons and auctions start here. */
    public static final long FIRST_ID = 1000;

    /** An auction closes about when this many further events have happened. */
    public static final int EVENTS_PER_AUCTION_LIFE = 1666;

    private static final int EVENTS_PER_ROUND = 50;
    private static final int AUCTIONS_PER_ROUND = 3;
    private static final int FIRST_CATEGORY = 10;
    private static final int CATEGORIES = 5;
    private static final int HOT_STEP = 100;
    private static final int ACTIVE_PERSONS = 1000;
    private static final int AUCTIONS_IN_FLIGHT = 100;

    /** Ids may run this far ahead of what exists, so consumers meet ids not seen yet. */
    private static final int ID_LEAD = 10;

    private static final List<String> STATES = List.of("AZ", "CA", "ID", "OR", "WA", "WY");
    private static final List<String> CITIES =
            List.of(
                    "Phoenix",
                    "Los Angeles",
                    "San Francisco",
                    "Boise",
                    "Portland",
                    "Bend",
                    "Redmond",
                    "Seattle",
                    "Kent",
                    "Cheyenne");
    private static final List<String> FIRST_NAMES =
            List.of(
                    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah",
                    "Deiter", "Walter");
    private static final List<String> LAST_NAMES =
            List.of(
                    "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones",
                    "Noris");

    private final Mode mode;
    private final long seed;

    public EventGenerator(Mode mode, long seed) {
        this.mode = mode;
        this.seed = seed;
    }

    /** Whether the event of this number is a bid; known without making it. */
    public static boolean isBid(long number) {
        return number % EVENTS_PER_ROUND > AUCTIONS_PER_ROUND;
    }

    /**
     * Makes event {@code number}.
     *
     * @param horizonMs how long the next {@link #EVENTS_PER_AUCTION_LIFE} events take; half the
     *     longest auction
     */
    public Event generate(long number, long offsetMs, long timestamp, long horizonMs) {
        Random random = new Random(mode.seedOf(seed, number));
        int inRound = (int) (number % EVENTS_PER_ROUND);
        if (inRound == 0) {
            return person(random, number, offsetMs, timestamp);
        }
        return inRound <= AUCTIONS_PER_ROUND
                ? auction(random, number, offsetMs, timestamp, horizonMs)
                : bid(random, number, offsetMs, timestamp);
    }

    private static Person person(Random random, long number, long offsetMs, long timestamp) {
        String name =
                FIRST_NAMES.get(random.nextInt(FIRST_NAMES.size()))
                        + " "
                        + LAST_NAMES.get(random.nextInt(LAST_NAMES.size()));
        skipString(random, 7); // mail address, before and after the @
        skipString(random, 5);
        for (int group = 0; group < 4; group++) {
            random.nextInt(10_000); // credit card
        }
        String city = CITIES.get(random.nextInt(CITIES.size()));
        String state = STATES.get(random.nextInt(STATES.size()));
        return new Person(
                number, offsetMs, timestamp, FIRST_ID + lastPerson(number), name, city, state);
    }

    private static Auction auction(
            Random random, long number, long offsetMs, long timestamp, long horizonMs) {
        long lastPerson = lastPerson(number);
        long seller = random.nextInt(4) > 0 ? hot(lastPerson) : pickPerson(random, lastPerson);
        long category = FIRST_CATEGORY + random.nextInt(CATEGORIES);
        long initialBid = price(random);
        long length =
                1 + random.nextInt((int) Math.min(Integer.MAX_VALUE, Math.max(2 * horizonMs, 1)));
        skipString(random, 20); // item name
        skipString(random, 100); // description
        long reserve = initialBid + price(random);
        return new Auction(
                number,
                offsetMs,
                timestamp,
                FIRST_ID + lastAuction(number),
                initialBid,
                reserve,
                timestamp + length,
                FIRST_ID + seller,
                category);
    }

    private static Bid bid(Random random, long number, long offsetMs, long timestamp) {
        long lastAuction = lastAuction(number);
        long lastPerson = lastPerson(number);
        long auction = random.nextInt(2) > 0 ? hot(lastAuction) : pickAuction(random, lastAuction);
        long bidder = random.nextInt(4) > 0 ? hot(lastPerson) + 1 : pickPerson(random, lastPerson);
        return new Bid(
                number, offsetMs, timestamp, FIRST_ID + auction, FIRST_ID + bidder, price(random));
    }

    private static long lastPerson(long number) {
        return number / EVENTS_PER_ROUND;
    }

    private static long lastAuction(long number) {
        long before = AUCTIONS_PER_ROUND * (number / EVENTS_PER_ROUND) - 1;
        return before + Math.min(number % EVENTS_PER_ROUND, AUCTIONS_PER_ROUND);
    }

    private static long hot(long last) {
        return last / HOT_STEP * HOT_STEP;
    }

    private static long pickPerson(Random random, long lastPerson) {
        long persons = lastPerson + 1;
        long active = Math.min(persons, ACTIVE_PERSONS);
        return persons - active + random.nextInt((int) active + ID_LEAD);
    }

    private static long pickAuction(Random random, long lastAuction) {
        long lowest = Math.max(lastAuction - AUCTIONS_IN_FLIGHT, 0);
        return lowest + random.nextInt((int) (lastAuction - lowest + 1) + ID_LEAD);
    }

    private static long price(Random random) {
        return Math.round(Math.pow(10.0, random.nextDouble() * 6.0) * 100.0);
    }

    /** Draws what a text of at most {@code max} characters takes; no query reads these texts. */
    private static void skipString(Random random, int max) {
        int length = 3 + random.nextInt(max - 3);
        for (int i = 0; i < length; i++) {
            if (random.nextInt(13) != 0) {
                random.nextInt(26);
            }
        }
    }
}
