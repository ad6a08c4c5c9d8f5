package dev.drrs.protocol;

import java.util.TreeMap;

/** What goes to and fro in {@link FetchBackSimulation}. */
final class FetchBackParts {

    private FetchBackParts() {}

    enum Kind {
        RECORD,
        WATERMARK,
        STATUS,
        REROUTE,
        CONFIRM,
        SWITCH,
        UPDATE,
        RESULT,
        RESULTS_END,
        RESULTS_BEGIN
    }

    /**
     * What a predecessor does, what is in a channel.
     *
     * @param number of a key's records by predecessor, of its results, or of a subscale or turn
     * @param time timestamp in milliseconds; of a status 1 if idle
     * @param position how many watermarks and statuses the predecessor has sent before
     * @param sentAt tick
     */
    record Element(Kind kind, int key, int number, long time, int position, int sentAt) {

        static Element signal(Kind kind, int number) {
            return new Element(kind, -1, number, 0, 0, 0);
        }

        static Element time(Kind kind, long time) {
            return new Element(kind, -1, 0, time, 0, 0);
        }

        boolean isTime() {
            return kind == Kind.WATERMARK || kind == Kind.STATUS;
        }

        @Override
        public String toString() {
            return switch (kind) {
                case RECORD -> "record of key " + key + " with timestamp " + time;
                case WATERMARK -> "watermark " + (time == Long.MAX_VALUE ? "at the end" : time);
                case STATUS -> time == 1 ? "idle" : "active";
                case UPDATE -> "result " + number + " of key " + key;
                case RESULT -> "result " + number + " of key " + key + " by timer " + time;
                case RESULTS_END -> "results end " + number;
                case RESULTS_BEGIN -> "results begin " + number;
                case CONFIRM -> "confirm " + number;
                case SWITCH -> "switch " + number;
                case REROUTE -> "reroute " + number;
            };
        }
    }

    /** A bin with one key and its timers, wherever it is. */
    static final class Contents {
        final int key;

        /** By timestamp how many records. */
        final TreeMap<Long, Integer> timers = new TreeMap<>();

        /** The highest clock that it has gone by. */
        long clock = Long.MIN_VALUE;

        /** How often it has left an owner. */
        int turns;

        Contents(int key) {
            this.key = key;
        }
    }

    /** A valve that counts what it has taken. */
    static final class Clock {
        private final Valve valve;
        final int[] taken;

        Clock(int channels) {
            this(new Valve(channels), new int[channels]);
        }

        private Clock(Valve valve, int[] taken) {
            this.valve = valve;
            this.taken = taken;
        }

        Clock copy() {
            return new Clock(valve.copy(), taken.clone());
        }

        void feed(int channel, Element element) {
            taken[channel]++;
            if (element.kind == Kind.WATERMARK) {
                valve.watermark(channel, element.time);
            } else {
                valve.status(channel, element.time == 1);
            }
        }

        /** Whether it has taken all that the other one has. */
        boolean covers(Clock other) {
            for (int u = 0; u < taken.length; u++) {
                if (taken[u] < other.taken[u]) {
                    return false;
                }
            }
            return true;
        }

        long time() {
            return valve.clock();
        }

        boolean allIdle() {
            return valve.allIdle();
        }

        @Override
        public String toString() {
            return valve.toString();
        }
    }

    enum Say {
        /** To the new owner. */
        TIME,
        CONFIRM,
        FETCH,
        REACHED,
        LAST,
        /** To the old owner. */
        ASK,
        CLOCK,
        /** Either way. */
        BIN
    }

    /**
     * On an exchange between two owners.
     *
     * @param turn of a bin: which end and begin of results it goes with
     * @param said of a fetch: what the old owner has told consumers of event time
     */
    record Message(
            Say say,
            int subscale,
            int channel,
            int key,
            Element element,
            Contents bin,
            int turn,
            Clock clock,
            long said) {

        static Message of(Say say, int subscale, int channel, Element element) {
            return new Message(say, subscale, channel, -1, element, null, 0, null, 0);
        }

        static Message of(Say say, int subscale, Clock clock) {
            return new Message(say, subscale, -1, -1, null, null, 0, clock, 0);
        }

        static Message of(Say say, int subscale, int key, long said) {
            return new Message(say, subscale, -1, key, null, null, 0, null, said);
        }

        static Message of(int subscale, Contents bin, int turn) {
            return new Message(Say.BIN, subscale, -1, bin.key, null, bin, turn, null, 0);
        }

        @Override
        public String toString() {
            String of = say + " " + subscale;
            return switch (say) {
                case TIME -> of + " channel " + channel + ": " + element;
                case CONFIRM -> of + " channel " + channel;
                case FETCH, ASK -> of + " key " + key;
                case BIN -> of + " key " + key + " turn " + turn;
                case CLOCK, REACHED -> of + " " + clock;
                case LAST -> of;
            };
        }
    }
}
