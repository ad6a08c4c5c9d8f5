package dev.drrs.protocol;

import java.util.Random;

/**
 * What a subtask lets go piece by piece: how much of it at a time, and that it is nothing but late.
 * Goes by what waits in subscales, not by what the gate says of it.
 */
final class SimPieces {

    private final Simulation sim;
    private final SimSubtask subtask;

    /** Of its own: schedules in which all is let go at once are the same as without pieces. */
    private final Random random;

    /** Whether the next element is the first of a piece. */
    private boolean first;

    SimPieces(Simulation sim, SimSubtask subtask, Random random) {
        this.sim = sim;
        this.subtask = subtask;
        this.random = random;
    }

    /** As {@link GateEffects#takesMore}. */
    boolean takesMore() {
        boolean more =
                sim.pieceRate >= 1
                        || first
                        || subtask.hasRoom() && random.nextDouble() < sim.pieceRate;
        first = false;
        return more;
    }

    boolean mayStep() {
        return subtask.gate.hasReleased()
                && subtask.hasRoom()
                && !(sim.mutated(Mutation.PIECES_END_AT_ABORT) && isAborted());
    }

    private boolean isAborted() {
        return subtask.gate.incoming().keySet().stream().anyMatch(sim::isAborted);
    }

    void step() {
        first = true;
        subtask.gate.takeReleased();
        first = false;
        subtask.after();
    }

    /**
     * An element comes on a channel.
     *
     * @return whether a deliberate bug has taken it
     */
    boolean overtakes(int channel, Item item) {
        if (item.kind == Item.Kind.WATERMARK) {
            for (Incoming<Item> in : subtask.gate.incoming().values()) {
                if (in.headReleased(channel)) {
                    sim.saw("event time waits behind what is let go");
                    if (sim.mutated(Mutation.TIME_BEFORE_RELEASED)) {
                        in.valve.watermark(channel, item.value);
                    }
                }
            }
        }
        if (item.kind != Item.Kind.RECORD) {
            return false;
        }
        int g = sim.group(item.key);
        Incoming<Item> in = subtask.incomingOf(g);
        if (in == null || !in.headReleased(channel)) {
            return false;
        }
        sim.saw("a record waits behind what is let go");
        boolean overtakes = sim.mutated(Mutation.NEW_BEFORE_RELEASED) && in.allInstalled();
        if (overtakes) {
            subtask.process(item, channel, g, in.valve.clock(), in.subscale.id());
        }
        return overtakes;
    }

    /** After every call of the gate. */
    void check() {
        boolean released = false;
        for (Incoming<Item> in : subtask.gate.incoming().values()) {
            boolean ofIt = in.fifoReleased();
            for (int u = 0; u < in.channels(); u++) {
                ofIt |= in.headReleased(u);
            }
            released |= ofIt;
            if (ofIt && in.allInstalled() && sim.mutated(Mutation.SETTLED_WITH_RELEASED)) {
                subtask.settleEarly(in);
            }
        }
        Violation.check(
                released == subtask.gate.hasReleased(),
                "pieces: something that need not wait has no turn, or nothing has one");
        if (released) {
            sim.saw("let go in pieces");
            if (isAborted()) {
                sim.saw("let go in pieces after an abort");
            }
        }
    }

    /** A subtask takes part in a checkpoint. */
    void checkNothingWaits() {
        for (Incoming<Item> in : subtask.gate.incoming().values()) {
            boolean waits = !in.fifo.isEmpty();
            for (int u = 0; u < in.channels(); u++) {
                waits |= !in.aside(u).isEmpty();
            }
            Violation.check(!waits, "I6: a checkpoint while elements wait in " + in.subscale);
        }
    }
}
