package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import dev.drrs.nexmark.generator.Event.Preload;

/** An event as a line of JSON: how a replay data set has it, in files and in a topic. */
public final class EventLine {

    private EventLine() {}

    /**
     * Reads the first {@code length} bytes, UTF-8; {@link IllegalArgumentException} if they are no
     * event.
     */
    public static Event parse(byte[] line, int length) {
        FlatJson json = FlatJson.parse(line, length);
        String kind = json.string("y");
        if (kind.equals("k")) {
            return new Preload(json.number("key"), json.number("ts"));
        }
        long number = json.number("e");
        long offset = json.number("t");
        long timestamp = json.number("ts");
        return switch (kind) {
            case "b" ->
                    new Bid(
                            number,
                            offset,
                            timestamp,
                            json.number("auction"),
                            json.number("bidder"),
                            json.number("price"));
            case "a" ->
                    new Auction(
                            number,
                            offset,
                            timestamp,
                            json.number("id"),
                            json.number("initialBid"),
                            json.number("reserve"),
                            json.number("expires"),
                            json.number("seller"),
                            json.number("category"));
            case "p" ->
                    new Person(
                            number,
                            offset,
                            timestamp,
                            json.number("id"),
                            json.string("name"),
                            json.string("city"),
                            json.string("state"));
            default -> throw new IllegalArgumentException("Not the kind of an event: " + kind);
        };
    }
}
