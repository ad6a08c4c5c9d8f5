package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/** The phases a rescale has gone through, with times and reasons. Not thread safe. */
public final class RescaleLifecycle {

    /**
     * @param at epoch milliseconds
     * @param reason why it was entered, or null if that goes without saying
     */
    public record Entered(Phase phase, long at, String reason) {}

    private final LongSupplier clock;
    private final List<Entered> history = new ArrayList<>();

    /**
     * Begins in {@link Phase#PLANNED}.
     *
     * @param clock epoch milliseconds
     */
    public RescaleLifecycle(LongSupplier clock) {
        this.clock = Objects.requireNonNull(clock);
        history.add(new Entered(Phase.PLANNED, clock.getAsLong(), null));
    }

    public Phase phase() {
        return last().phase();
    }

    /**
     * @param reason one sentence, or null
     * @throws IllegalStateException if the phase may not follow the present one
     */
    public void enter(Phase phase, String reason) {
        if (!phase().next().contains(phase)) {
            throw new IllegalStateException(phase + " does not follow " + phase());
        }
        // wall clocks may be set back; a history that runs backwards would give negative durations
        history.add(new Entered(phase, Math.max(clock.getAsLong(), last().at()), reason));
    }

    public List<Entered> history() {
        return List.copyOf(history);
    }

    /** Epoch milliseconds. */
    public long acceptedAt() {
        return history.get(0).at();
    }

    /** Epoch milliseconds, or -1 while it goes on. */
    public long endedAt() {
        return phase().isTerminal() ? last().at() : -1;
    }

    /**
     * Milliseconds spent in the n-th phase of the history, up to now if it goes on; 0 in a last
     * one.
     */
    public long durationMs(int index) {
        Entered entered = history.get(index);
        if (entered.phase().isTerminal()) {
            return 0;
        }
        long end =
                index + 1 < history.size()
                        ? history.get(index + 1).at()
                        : Math.max(clock.getAsLong(), entered.at());
        return end - entered.at();
    }

    private Entered last() {
        return history.get(history.size() - 1);
    }
}
