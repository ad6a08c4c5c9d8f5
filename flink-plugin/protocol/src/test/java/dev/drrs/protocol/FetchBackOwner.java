package dev.drrs.protocol;

import dev.drrs.protocol.FetchBackParts.Clock;
import dev.drrs.protocol.FetchBackParts.Contents;
import dev.drrs.protocol.FetchBackParts.Element;
import dev.drrs.protocol.FetchBackParts.Kind;
import dev.drrs.protocol.FetchBackParts.Message;
import dev.drrs.protocol.FetchBackParts.Say;
import dev.drrs.protocol.FetchBackRoles.Borrowing;
import dev.drrs.protocol.FetchBackRoles.Lending;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A subtask that lends bins and borrows bins, each subscale in one of the two roles.
 *
 * <p>The clock of a subscale is the new owner's. Old and new owner tell it to each other: what the
 * old one reads of event time goes to the new one until the confirm, and from the first confirm on
 * the clock comes back; a record of the old owner waits until what precedes it has come back. So a
 * bin goes by one clock wherever it is, and neither says more of event time than both have reached.
 */
final class FetchBackOwner {

    final int index;
    final List<ArrayDeque<Element>> channels = new ArrayList<>();
    private final FetchBackSimulation sim;
    private final Clock main;
    private final Map<Integer, Lending> lending = new TreeMap<>();
    private final Map<Integer, Borrowing> borrowing = new TreeMap<>();
    private final Map<Integer, Contents> bins = new TreeMap<>();
    private final ArrayDeque<Element> chain = new ArrayDeque<>();

    /** The channel whose record waits for the new owner; nothing else is read meanwhile. */
    private int standing = -1;

    private long emitted = Long.MIN_VALUE;
    private boolean idle;

    /** Consumers went on without it: then it may be late there, as in any job. */
    private boolean everIdle;

    FetchBackOwner(int index, FetchBackSimulation sim) {
        this.index = index;
        this.sim = sim;
        main = new Clock(sim.predecessors);
        for (int u = 0; u < sim.predecessors; u++) {
            channels.add(new ArrayDeque<>());
        }
        for (int s = 0; s < sim.moves.length; s++) {
            if (sim.moves[s][0] == index) {
                lending.put(s, new Lending(sim.predecessors));
                sim.keysOf(s).forEach(key -> bins.put(key, new Contents(key)));
            } else if (sim.moves[s][1] == index) {
                borrowing.put(s, new Borrowing(sim.predecessors));
            }
        }
    }

    // ---- channels -------------------------------------------------------------------------------

    boolean canTake(int u) {
        Element head = channels.get(u).peek();
        if (head == null || !sim.hasRoom(index)) {
            return false;
        }
        if (standing >= 0) {
            return standing == u && takable(u, head);
        }
        return !held(u) && takable(u, head);
    }

    /** Behind an aligned barrier, or behind a record that waits for a bin. */
    private boolean held(int u) {
        for (Lending of : lending.values()) {
            if (sim.isAligned() && of.confirmed[u] && !of.gone) {
                return true;
            }
        }
        for (int v = 0; v < sim.predecessors; v++) {
            Element head = channels.get(v).peek();
            Borrowing of = isRecord(head) ? borrowing.get(sim.subscaleOf(head.key())) : null;
            if (v != u && of != null && of.switched[u] && !takable(v, head)) {
                return true;
            }
        }
        return false;
    }

    private boolean takable(int u, Element head) {
        if (head.kind() != Kind.RECORD) {
            return true;
        }
        int s = sim.subscaleOf(head.key());
        Borrowing borrowed = borrowing.get(s);
        if (borrowed != null) {
            boolean confirmed = borrowed.confirmed[u] || sim.has(FetchBackBug.NO_CONFIRM_WAIT);
            return confirmed && bins.containsKey(head.key());
        }
        Contents bin = bins.get(head.key());
        return bin != null && isTold(lending.get(s), u, bin);
    }

    /** Whether the clock that is known here has counted all that precedes the record. */
    private boolean isTold(Lending of, int u, Contents bin) {
        if (!of.begun() || clockOf(bin) == main) {
            return true;
        }
        boolean known = of.isKnown() || sim.has(FetchBackBug.CLOCK_FROM_BEFORE);
        return known
                && (of.told.taken[u] == main.taken[u]
                        || sim.has(FetchBackBug.OLD_OWNER_AHEAD_OF_CLOCK));
    }

    void onChannel(int u) {
        Element element = channels.get(u).poll();
        switch (element.kind()) {
            case RECORD -> process(u, element);
            case CONFIRM -> onConfirm(lending.get(element.number()), u, element.number());
            case SWITCH -> borrowing.get(element.number()).switched[u] = true;
            default -> onTime(u, element);
        }
        after();
    }

    private void onTime(int u, Element element) {
        main.feed(u, element);
        lending.forEach(
                (s, of) -> {
                    if (!of.confirmed[u] && sim.moves[s][1] != index) {
                        say(s, Say.TIME, u, element);
                        of.read.get(u).add(element);
                        if (of.begun() && sim.has(FetchBackBug.OLD_OWNER_COUNTS_ITSELF)) {
                            countHere(of);
                        }
                    }
                });
        borrowing.forEach(
                (s, of) -> {
                    if (!of.switched[u]) {
                        return;
                    }
                    if (of.confirmed[u] || sim.has(FetchBackBug.TIME_BEFORE_CONFIRM)) {
                        of.clock.feed(u, element);
                        tell(s, of);
                    } else {
                        of.aside.get(u).add(element);
                    }
                });
    }

    private void countHere(Lending of) {
        for (int u = 0; of.isKnown() && u < sim.predecessors; u++) {
            List<Element> read = of.read.get(u);
            while (of.told.taken[u] < read.size()) {
                of.told.feed(u, read.get(of.told.taken[u]));
            }
        }
    }

    private void onConfirm(Lending of, int u, int s) {
        of.confirmed[u] = true;
        of.confirms++;
        if (!sim.isAligned()) {
            of.floor = of.begun() ? of.floor : main.taken.clone();
            say(s, Say.CONFIRM, u, null);
        }
    }

    private void process(int u, Element record) {
        standing = -1;
        Contents bin = bins.get(record.key());
        Clock clock = clockOf(bin);
        judge(bin, clock);
        if (clock.taken[u] != record.position()) {
            throw new Violation(
                    "R3: "
                            + record
                            + " comes behind "
                            + record.position()
                            + " elements of event time and is judged by "
                            + clock.taken[u]);
        }
        sim.taken(record, u);
        if (record.time() > clock.time()) {
            if (record.time() <= emitted) {
                throw new Violation(
                        "R1: " + record + " behind watermark " + emitted + " of " + index);
            }
            bin.timers.merge(record.time(), 1, Integer::sum);
            sim.timerSet();
        } else if (!sim.wasIdle(u)) {
            throw new Violation("R3: " + record + " is late at " + index);
        }
        int number = sim.nextResult(bin.key);
        chain.add(new Element(Kind.UPDATE, bin.key, number, 0, 0, record.sentAt()));
    }

    // ---- event time -----------------------------------------------------------------------------

    /** Null as long as the old owner does not know it. */
    private Clock clockOf(Contents bin) {
        int s = sim.subscaleOf(bin.key);
        if (borrowing.containsKey(s)) {
            return borrowing.get(s).clock;
        }
        Lending of = lending.get(s);
        if (!of.begun() || sim.has(FetchBackBug.OLD_OWNERS_CLOCK) && bin.turns > 0) {
            return main;
        }
        return of.isKnown() || sim.has(FetchBackBug.CLOCK_FROM_BEFORE) ? of.told : null;
    }

    private void judge(Contents bin, Clock clock) {
        if (clock.time() < bin.clock) {
            throw new Violation(
                    "R3: the clock of key "
                            + bin.key
                            + " goes back from "
                            + bin.clock
                            + " to "
                            + clock.time());
        }
        bin.clock = clock.time();
    }

    private void fire(Contents bin) {
        Clock clock = clockOf(bin);
        if (clock == null) {
            return;
        }
        judge(bin, clock);
        while (!bin.timers.isEmpty() && bin.timers.firstKey() <= clock.time()) {
            Map.Entry<Long, Integer> timer = bin.timers.pollFirstEntry();
            if (idle) {
                throw new Violation("R1: a timer of key " + bin.key + " fires at idle " + index);
            }
            if (timer.getKey() <= emitted) {
                throw new Violation(
                        "R1: timer "
                                + timer.getKey()
                                + " of key "
                                + bin.key
                                + " behind watermark "
                                + emitted
                                + " of "
                                + index);
            }
            sim.fired(timer.getValue());
            toConsumer(
                    new Element(
                            Kind.RESULT,
                            bin.key,
                            sim.nextResult(bin.key),
                            timer.getKey(),
                            everIdle ? 1 : 0,
                            0));
        }
    }

    private void sayTime() {
        long bound = main.time();
        boolean allIdle = main.allIdle();
        for (Lending of : lending.values()) {
            if (of.begun() && !of.gone && !sim.isOldOwnerUnbounded()) {
                bound = Math.min(bound, of.told.time());
                allIdle &= of.told.allIdle();
                for (int u = 0; u < sim.predecessors; u++) {
                    allIdle &= of.confirmed[u] || of.told.taken[u] == main.taken[u];
                }
            }
        }
        for (Borrowing of : borrowing.values()) {
            bound = Math.min(bound, of.clock.time());
            allIdle &= of.clock.allIdle();
            if (of.isWaitedFor() && !sim.has(FetchBackBug.NEW_OWNER_UNBOUNDED)) {
                bound = Math.min(bound, of.reached.time());
                allIdle &= of.reached.covers(of.clock);
            }
        }
        if (idle && !allIdle) {
            idle = false;
            toConsumer(Element.time(Kind.STATUS, 0));
        }
        if (!idle && bound > emitted) {
            emitted = bound;
            toConsumer(Element.time(Kind.WATERMARK, bound));
        }
        if (allIdle && !idle) {
            idle = true;
            everIdle = true;
            toConsumer(Element.time(Kind.STATUS, 1));
        }
    }

    // ---- between owners -------------------------------------------------------------------------

    void onPeer(Message message) {
        int s = message.subscale();
        switch (message.say()) {
            case TIME -> {
                Borrowing of = borrowing.get(s);
                of.clock.feed(message.channel(), message.element());
                tell(s, of);
            }
            case CONFIRM -> {
                Borrowing of = borrowing.get(s);
                of.reached = of.reached == null ? of.clock.copy() : of.reached;
                of.confirmed[message.channel()] = true;
                tell(s, of);
                for (Element one : of.aside.get(message.channel())) {
                    of.clock.feed(message.channel(), one);
                    tell(s, of);
                }
                of.aside.get(message.channel()).clear();
            }
            case FETCH -> borrowing.get(s).later.add(message);
            case REACHED -> borrowing.get(s).reached = message.clock();
            case LAST -> borrowing.get(s).all = true;
            case ASK -> lending.get(s).asked.add(message.key());
            case CLOCK -> {
                Lending of = lending.get(s);
                of.told = message.clock();
                of.isNews = true;
                if (sim.has(FetchBackBug.OLD_OWNER_COUNTS_ITSELF)) {
                    countHere(of);
                }
            }
            case BIN -> install(message);
        }
        after();
    }

    private void install(Message message) {
        int s = message.subscale();
        if (borrowing.containsKey(s)) {
            Borrowing of = borrowing.get(s);
            of.asked.remove(message.key());
            begin(message, of.begun);
            of.begun = message.turn();
        } else {
            lending.get(s).fetching.remove(message.key());
            begin(message, -1);
        }
        if (bins.put(message.key(), message.bin()) != null) {
            throw new Violation("I1: bin " + message.key() + " is installed twice");
        }
    }

    private void begin(Message message, int begun) {
        boolean told = message.bin().turns == 1 || !sim.has(FetchBackBug.ONE_TURN_OF_RESULTS);
        if (message.turn() != begun && told) {
            toConsumer(Element.signal(Kind.RESULTS_BEGIN, message.turn()));
        }
    }

    /** All of these leave in one turn. */
    private void leave(int s, List<Integer> keys) {
        int turn = sim.nextTurn();
        if (!sim.has(FetchBackBug.NO_CHAIN_FLUSH)) {
            flush();
        }
        for (int key : keys) {
            Contents bin = bins.remove(key);
            bin.turns++;
            if (key == keys.get(0)
                    && (bin.turns == 1 || !sim.has(FetchBackBug.ONE_TURN_OF_RESULTS))) {
                sim.toConsumer(index, Element.signal(Kind.RESULTS_END, turn));
            }
            Contents goes = bin;
            if (sim.has(FetchBackBug.TIMERS_STAY)) {
                goes = new Contents(key);
                goes.turns = bin.turns;
            }
            sim.send(this, Message.of(s, goes, turn));
        }
    }

    /** New owner: what the clock is; before the first confirm the old one has it itself. */
    private void tell(int s, Borrowing of) {
        if (of.isWaitedFor()) {
            sim.send(this, Message.of(Say.CLOCK, s, of.clock.copy()));
        }
    }

    private void say(int s, Say say, int channel, Element element) {
        sim.send(this, Message.of(say, s, channel, element));
    }

    private void ask(int s, Say say, int key) {
        sim.send(this, Message.of(say, s, key, emitted));
    }

    private void after() {
        bins.values().forEach(this::fire);
        borrowing.forEach(this::giveBack);
        stand();
        lending.forEach(this::lend);
        stand(); // what was next may have lost its bin
        borrowing.forEach(this::askForAtHand);
        sayTime();
    }

    private void giveBack(int s, Borrowing of) {
        for (Message fetch : List.copyOf(of.later)) {
            if (sim.has(FetchBackBug.WAITS_FOR_WHAT_IT_HAS_SAID)
                    && of.clock.time() < fetch.said()) {
                continue;
            }
            if (!bins.containsKey(fetch.key())) {
                throw new Violation("I1: bin " + fetch.key() + " is fetched where it is not");
            }
            of.later.remove(fetch);
            leave(s, List.of(fetch.key()));
            sim.saw("fetched back");
        }
    }

    /** Old owner: a record that comes next waits for its bin, or for the clock. */
    private void stand() {
        for (int u = 0; standing < 0 && u < sim.predecessors; u++) {
            Element head = channels.get(u).peek();
            boolean lends = isRecord(head) && lending.containsKey(sim.subscaleOf(head.key()));
            standing = lends && !held(u) && !takable(u, head) ? u : -1;
        }
        if (standing < 0) {
            return;
        }
        Element waiting = channels.get(standing).peek();
        int key = waiting.key();
        Lending of = lending.get(sim.subscaleOf(key));
        if (!bins.containsKey(key) && of.fetching.add(key)) {
            ask(sim.subscaleOf(key), Say.FETCH, key);
        } else if (bins.containsKey(key) && !takable(standing, waiting)) {
            sim.saw("waits for the clock");
        }
    }

    private static boolean isRecord(Element head) {
        return head != null && head.kind() == Kind.RECORD;
    }

    private void lend(int s, Lending of) {
        if (of.isNews && !of.gone && of.isKnown()) {
            of.isNews = false;
            sim.send(this, Message.of(Say.REACHED, s, of.told.copy()));
        }
        if (of.confirms == sim.predecessors && !of.gone) {
            of.gone = true;
            List<Integer> rest = sim.keysOf(s).stream().filter(bins::containsKey).toList();
            leave(s, rest);
            for (int u = 0; sim.isAligned() && u < sim.predecessors; u++) {
                say(s, Say.CONFIRM, u, null);
            }
            say(s, Say.LAST, -1, null);
        }
        for (int key : List.copyOf(of.asked)) {
            boolean inUse = standing >= 0 && channels.get(standing).peek().key() == key;
            if (bins.containsKey(key) && !inUse && sim.mayLend(bins.get(key).turns)) {
                of.asked.remove(key);
                leave(s, List.of(key));
                sim.saw("lent");
            }
        }
    }

    private void askForAtHand(int s, Borrowing of) {
        for (int u = 0; u < sim.predecessors; u++) {
            Element head = channels.get(u).peek();
            boolean needs = isRecord(head) && sim.subscaleOf(head.key()) == s && of.confirmed[u];
            if (needs && !of.all && !bins.containsKey(head.key()) && of.asked.add(head.key())) {
                ask(s, Say.ASK, head.key());
            }
        }
    }

    // ---- results --------------------------------------------------------------------------------

    boolean holdsResults() {
        return !chain.isEmpty();
    }

    void flush() {
        while (!chain.isEmpty()) {
            sim.toConsumer(index, chain.poll());
        }
    }

    private void toConsumer(Element element) {
        flush();
        sim.toConsumer(index, element);
    }

    /** A record arrived: it may be the one that is next. */
    void arrived() {
        after();
    }
}
