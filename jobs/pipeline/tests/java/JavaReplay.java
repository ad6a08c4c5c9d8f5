import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import dev.drrs.nexmark.generator.Mode;
import dev.drrs.nexmark.generator.RateSchedule;
import dev.drrs.nexmark.generator.SplitPlan;
import dev.drrs.nexmark.generator.Workload;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * Writes replay data sets (docs/interfaces.md) from the generator of the job, a file for each of its splits.
 *
 * <p>Arguments, for each data set: folder, mode, seed, number of the first event, events, splits, events per second.
 */
class JavaReplay {

    public static void main(String[] arguments) throws IOException {
        for (Iterator<String> given = List.of(arguments).iterator(); given.hasNext(); ) {
            write(given);
        }
    }

    private static void write(Iterator<String> given) throws IOException {
        Path folder = Files.createDirectories(Path.of(given.next()));
        Workload workload =
                new Workload(
                        Mode.valueOf(given.next()),
                        Long.parseLong(given.next()),
                        Long.parseLong(given.next()),
                        Long.parseLong(given.next()),
                        Workload.Layout.INTERLEAVED,
                        Integer.parseInt(given.next()),
                        RateSchedule.constant(Long.parseLong(given.next())),
                        Workload.NEXMARK_BASE_TIME_MS,
                        1);
        for (int split = 0; split < workload.splits(); split++) {
            SplitPlan plan = workload.split(split);
            try (BufferedWriter part = Files.newBufferedWriter(folder.resolve("part-%05d.jsonl".formatted(split)))) {
                for (long position = 0; position < plan.size(); position++) {
                    part.write(line(plan.event(position)));
                }
            }
        }
    }

    private static String line(Event event) {
        StringBuilder line = new StringBuilder("{\"e\":").append(event.number());
        number(line, "t", event.offsetMs());
        number(line, "ts", event.timestamp());
        if (event instanceof Bid bid) {
            text(line, "y", "b");
            number(line, "auction", bid.auction());
            number(line, "bidder", bid.bidder());
            number(line, "price", bid.price());
        } else if (event instanceof Auction auction) {
            text(line, "y", "a");
            number(line, "id", auction.id());
            number(line, "initialBid", auction.initialBid());
            number(line, "reserve", auction.reserve());
            number(line, "expires", auction.expires());
            number(line, "seller", auction.seller());
            number(line, "category", auction.category());
        } else {
            Person person = (Person) event;
            text(line, "y", "p");
            number(line, "id", person.id());
            text(line, "name", person.name());
            text(line, "city", person.city());
            text(line, "state", person.state());
        }
        return line.append("}\n").toString();
    }

    private static void number(StringBuilder line, String field, long value) {
        line.append(",\"").append(field).append("\":").append(value);
    }

    private static void text(StringBuilder line, String field, String value) {
        line.append(",\"").append(field).append("\":\"").append(value).append('"');
    }
}
