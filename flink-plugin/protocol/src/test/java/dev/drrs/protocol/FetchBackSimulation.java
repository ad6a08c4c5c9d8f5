package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import dev.drrs.protocol.FetchBackParts.Element;
import dev.drrs.protocol.FetchBackParts.Kind;
import dev.drrs.protocol.FetchBackParts.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Bins that may be fetched back by their old owner while the signals of a step are on their way, as
 * in Meces (USENIX ATC 2022): predecessors, owners that exchange bins, and a consumer. A model of
 * its own beside {@link Simulation}, as gates have no such way; valves and order of results are the
 * real ones. No checkpoints, failures and aborts: what does not hold without them does not hold.
 *
 * <p>Checked in every step: R1 (nothing behind what was said of event time), R3 (a record is judged
 * by exactly what precedes it in its channel, and the clock of a bin never goes back), R5, R6, I1,
 * I2; at the end I4 (nothing is left).
 */
final class FetchBackSimulation implements ResultOrder.Effects {

    /** When a bin may leave its old owner. */
    enum Lends {
        /** Not before all signals are there: no bin is fetched back. */
        ALIGNED,
        /** From the first signal on, once; fetched back it stays until all signals are there. */
        ONCE,
        /** From the first signal on, as often as anybody needs it. */
        EVER
    }

    /**
     * @param moves by subscale: old owner, new owner
     * @param keys a key is a bin, and belongs to the subscale that its remainder says
     * @param capacity elements of a channel, behind which its sender waits
     * @param scripts by predecessor: what it sends
     */
    record Scenario(
            Lends lends,
            FetchBackBug bug,
            int owners,
            int[][] moves,
            int keys,
            int capacity,
            List<List<Element>> scripts) {}

    /**
     * @param at tick
     */
    private record Sent(Message message, int at) {}

    private static final int PREDECESSOR = 0;
    private static final int CHANNEL = 1;
    private static final int PEER = 2;
    private static final int CONSUMER = 3;
    private static final int FLUSH = 4;

    /** Ticks between what a predecessor sends, if ticks are counted. */
    static final int PERIOD = 3;

    final int predecessors;
    final int[][] moves;

    private final Scenario scenario;
    private final FetchBackOwner[] owners;
    private final List<ArrayDeque<Sent>> peers = new ArrayList<>();
    private final List<ArrayDeque<Element>> results = new ArrayList<>();
    private final boolean[] waits;
    private final Valve valve;
    private final ResultOrder order = new ResultOrder(this);
    private final int[] next;
    private final int[] positions;
    private final boolean[] everIdle;
    private final boolean[][] rerouted;

    /** By predecessor and key: the last record sent, and taken. */
    private final int[][] sent;

    private final int[][] taken;

    /** Results by key, made and taken by the consumer. */
    private final int[] made;

    private final int[] seenResults;
    private final Map<String, Integer> seen = new TreeMap<>();
    private int turns;
    private int tick;

    /** Timers that have been set and have not fired. */
    private int open;

    private long waited;

    FetchBackSimulation(Scenario scenario) {
        this.scenario = scenario;
        moves = scenario.moves;
        predecessors = scenario.scripts.size();
        next = new int[predecessors];
        positions = new int[predecessors];
        everIdle = new boolean[predecessors];
        rerouted = new boolean[predecessors][moves.length];
        sent = new int[predecessors][scenario.keys];
        taken = new int[predecessors][scenario.keys];
        made = new int[scenario.keys];
        seenResults = new int[scenario.keys];
        valve = new Valve(scenario.owners);
        waits = new boolean[scenario.owners];
        owners = new FetchBackOwner[scenario.owners];
        for (int i = 0; i < scenario.owners; i++) {
            owners[i] = new FetchBackOwner(i, this);
            results.add(new ArrayDeque<>());
        }
        for (int pair = 0; pair < scenario.owners * scenario.owners; pair++) {
            peers.add(new ArrayDeque<>());
        }
    }

    // ---- what owners ask and say ----------------------------------------------------------------

    boolean has(FetchBackBug bug) {
        return scenario.bug == bug;
    }

    boolean isOldOwnerUnbounded() {
        return has(FetchBackBug.OLD_OWNER_UNBOUNDED)
                || has(FetchBackBug.WAITS_FOR_WHAT_IT_HAS_SAID);
    }

    boolean isAligned() {
        return scenario.lends == Lends.ALIGNED;
    }

    boolean mayLend(int turns) {
        return scenario.lends == Lends.EVER || scenario.lends == Lends.ONCE && turns == 0;
    }

    int subscaleOf(int key) {
        return key % moves.length;
    }

    List<Integer> keysOf(int subscale) {
        return IntStream.range(0, scenario.keys)
                .filter(key -> subscaleOf(key) == subscale)
                .boxed()
                .toList();
    }

    boolean hasRoom(int owner) {
        return results.get(owner).size() < scenario.capacity;
    }

    void send(FetchBackOwner from, Message message) {
        int[] move = moves[message.subscale()];
        int to = move[0] == from.index ? move[1] : move[0];
        ArrayDeque<Sent> queue = peers.get(from.index * owners.length + to);
        Sent sent = new Sent(message, tick);
        if (message.say() == FetchBackParts.Say.FETCH && has(FetchBackBug.FETCH_OVERTAKES)) {
            queue.addFirst(sent);
        } else {
            queue.add(sent);
        }
    }

    void toConsumer(int owner, Element element) {
        results.get(owner).add(element);
    }

    int nextTurn() {
        return turns++;
    }

    int nextResult(int key) {
        return ++made[key];
    }

    boolean wasIdle(int predecessor) {
        return everIdle[predecessor];
    }

    void saw(String situation) {
        seen.merge(situation, 1, Integer::sum);
    }

    /** A record is processed. */
    void taken(Element record, int u) {
        int before = taken[u][record.key()]++;
        if (record.number() != before + 1) {
            throw new Violation(
                    "I2: "
                            + record
                            + " of "
                            + u
                            + " is number "
                            + record.number()
                            + " after "
                            + before);
        }
    }

    void timerSet() {
        open++;
    }

    void fired(int records) {
        open -= records;
    }

    // ---- predecessors ---------------------------------------------------------------------------

    private Element nextOf(int u) {
        List<Element> script = scenario.scripts.get(u);
        return next[u] < script.size() ? script.get(next[u]) : null;
    }

    private boolean maySend(int u) {
        Element element = nextOf(u);
        if (element == null) {
            return false;
        }
        return switch (element.kind()) {
            case RECORD -> hasRoom(u, target(u, element.key()));
            case REROUTE ->
                    hasRoom(u, moves[element.number()][0])
                            && hasRoom(u, moves[element.number()][1]);
            default -> hasRoomEverywhere(u);
        };
    }

    private boolean hasRoomEverywhere(int u) {
        for (int i = 0; i < owners.length; i++) {
            if (!hasRoom(u, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasRoom(int u, int owner) {
        return owners[owner].channels.get(u).size() < scenario.capacity;
    }

    private int target(int u, int key) {
        int s = subscaleOf(key);
        return moves[s][rerouted[u][s] ? 1 : 0];
    }

    private void predecessor(int u) {
        Element element = nextOf(u);
        int due = next[u]++ * PERIOD;
        switch (element.kind()) {
            case RECORD ->
                    put(
                            u,
                            target(u, element.key()),
                            new Element(
                                    Kind.RECORD,
                                    element.key(),
                                    ++sent[u][element.key()],
                                    element.time(),
                                    positions[u],
                                    due));
            case REROUTE -> {
                int s = element.number();
                rerouted[u][s] = true;
                put(u, moves[s][0], Element.signal(Kind.CONFIRM, s));
                put(u, moves[s][1], Element.signal(Kind.SWITCH, s));
            }
            default -> {
                positions[u]++;
                everIdle[u] |= element.kind() == Kind.STATUS;
                for (int i = 0; i < owners.length; i++) {
                    put(u, i, element);
                }
            }
        }
    }

    private void put(int u, int owner, Element element) {
        ArrayDeque<Element> channel = owners[owner].channels.get(u);
        channel.add(element);
        if (channel.size() == 1) {
            owners[owner].arrived();
        }
    }

    // ---- consumer -------------------------------------------------------------------------------

    private void consumer(int i) {
        Element element = results.get(i).poll();
        switch (element.kind()) {
            case WATERMARK -> valve.watermark(i, element.time());
            case STATUS -> valve.status(i, element.time() == 1);
            case RESULTS_END -> order.onEnd(element.number());
            case RESULTS_BEGIN -> order.onBegin(i, element.number());
            default -> onResult(element);
        }
    }

    private void onResult(Element result) {
        int before = seenResults[result.key()]++;
        if (result.number() != before + 1) {
            throw new Violation("R6: " + result + " is taken after number " + before);
        }
        if (result.kind() == Kind.UPDATE) {
            waited += tick - result.sentAt();
        }
        boolean excused = result.kind() == Kind.UPDATE || result.position() == 1;
        if (!excused && result.time() <= valve.clock()) {
            throw new Violation("R1: " + result + " is late for the consumer at " + valve.clock());
        }
    }

    @Override
    public void hold(int channel) {
        waits[channel] = true;
        saw("results wait for those of the other owner");
    }

    @Override
    public void resume(int channel) {
        waits[channel] = false;
    }

    @Override
    public void passed(int turn) {
        // nobody waits for that here
    }

    // ---- schedules ------------------------------------------------------------------------------

    /** What may be next: a kind and whose it is. */
    List<int[]> actions() {
        List<int[]> out = new ArrayList<>();
        for (int u = 0; u < predecessors; u++) {
            add(out, maySend(u), PREDECESSOR, u);
        }
        for (int x = 0; x < owners.length * predecessors; x++) {
            add(out, owners[x / predecessors].canTake(x % predecessors), CHANNEL, x);
        }
        for (int pair = 0; pair < peers.size(); pair++) {
            add(out, !peers.get(pair).isEmpty(), PEER, pair);
        }
        for (int i = 0; i < owners.length; i++) {
            add(out, mayConsume(i), CONSUMER, i);
            add(out, owners[i].holdsResults() && hasRoom(i), FLUSH, i);
        }
        return out;
    }

    private boolean mayConsume(int i) {
        return !results.get(i).isEmpty() && !waits[i];
    }

    private static void add(List<int[]> out, boolean may, int kind, int whose) {
        if (may) {
            out.add(new int[] {kind, whose});
        }
    }

    void act(int[] action) {
        int x = action[1];
        switch (action[0]) {
            case PREDECESSOR -> predecessor(x);
            case CHANNEL -> owners[x / predecessors].onChannel(x % predecessors);
            case PEER -> owners[x % owners.length].onPeer(peers.get(x).poll().message());
            case CONSUMER -> consumer(x);
            default -> owners[x].flush();
        }
    }

    /** What the action would do, for people. */
    String says(int[] action) {
        int x = action[1];
        return switch (action[0]) {
            case PREDECESSOR -> "P" + x + " sends " + nextOf(x);
            case CHANNEL ->
                    "subtask "
                            + x / predecessors
                            + " reads from P"
                            + x % predecessors
                            + " "
                            + owners[x / predecessors].channels.get(x % predecessors).peek();
            case PEER ->
                    "subtask "
                            + x % owners.length
                            + " hears from subtask "
                            + x / owners.length
                            + " "
                            + peers.get(x).peek().message();
            case CONSUMER -> "the consumer reads from subtask " + x + " " + results.get(x).peek();
            default -> "the chain of subtask " + x + " passes on what it has";
        };
    }

    /** Any action that is possible, some actors being slow; returns what was seen. */
    Map<String, Integer> run(Random random) {
        Set<Integer> slow = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
            slow.add(random.nextInt(5) * 10 + random.nextInt(4));
        }
        for (List<int[]> all = actions(); !all.isEmpty(); all = actions()) {
            int[] chosen;
            do {
                chosen = all.get(random.nextInt(all.size()));
            } while (slow.contains(chosen[0] * 10 + chosen[1] % 4) && random.nextInt(10) > 0);
            act(chosen);
        }
        checkEnd();
        return seen;
    }

    /**
     * In ticks: in each of them a subtask takes one record, and events before it; a message between
     * owners takes so many.
     */
    void run(int latency) {
        for (boolean any = true; any; tick++) {
            any = false;
            for (int pair = 0; pair < peers.size(); pair++) {
                ArrayDeque<Sent> queue = peers.get(pair);
                while (!queue.isEmpty() && queue.peek().at() + latency <= tick) {
                    act(new int[] {PEER, pair});
                }
                any |= !queue.isEmpty();
            }
            for (int u = 0; u < predecessors; u++) {
                while (next[u] * PERIOD <= tick && maySend(u)) {
                    act(new int[] {PREDECESSOR, u});
                }
                any |= nextOf(u) != null;
            }
            for (FetchBackOwner owner : owners) {
                any |= takeRecord(owner);
                owner.flush();
            }
            for (boolean read = true; read; ) {
                read = false;
                for (int i = 0; i < owners.length; i++) {
                    read |= mayConsume(i);
                    while (mayConsume(i)) {
                        consumer(i);
                    }
                }
            }
        }
        checkEnd();
    }

    private boolean takeRecord(FetchBackOwner owner) {
        for (int k = 0; k < predecessors; k++) {
            int u = (tick + k) % predecessors;
            while (owner.canTake(u)) {
                Kind kind = owner.channels.get(u).peek().kind();
                owner.onChannel(u);
                if (kind == Kind.RECORD) {
                    return true;
                }
            }
        }
        return owner.channels.stream().anyMatch(channel -> !channel.isEmpty());
    }

    /** Nothing more is possible. */
    private void checkEnd() {
        for (int u = 0; u < predecessors; u++) {
            for (FetchBackOwner owner : owners) {
                check(
                        owner.channels.get(u).isEmpty(),
                        "I4: deadlock, subtask " + owner.index + " does not read P" + u);
            }
            check(nextOf(u) == null, "I4: P" + u + " cannot send " + nextOf(u));
        }
        check(peers.stream().allMatch(ArrayDeque::isEmpty), "I4: messages are left");
        check(results.stream().allMatch(ArrayDeque::isEmpty), "I4: results are left");
        check(open == 0, "R5: " + open + " timers have not fired");
        check(Arrays.equals(made, seenResults), "R6: results are lost");
        check(valve.clock() == Long.MAX_VALUE, "I4: event time does not reach the end");
    }

    /** Ticks from when a record was due until the consumer has its result: in all. */
    long waited() {
        return waited;
    }
}
