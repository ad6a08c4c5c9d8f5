package dev.drrs.runtime.run;

import dev.drrs.runtime.section.CheckpointTurns;
import java.time.Duration;

/**
 * Has periodic checkpoints held back while key groups of one rescale move, and says for how long
 * they were. Main thread.
 */
final class HeldCheckpoints {

    private final CheckpointTurns gate;
    private final RunFigures figures;
    private Duration before;
    private Runnable awaited;

    HeldCheckpoints(CheckpointTurns gate, RunFigures figures) {
        this.gate = gate;
        this.figures = figures;
    }

    /**
     * A second call without an end changes nothing.
     *
     * @param sectionsAwaited runs when a checkpoint waits for sections, maybe more than once
     */
    void begin(Runnable sectionsAwaited) {
        if (before == null) {
            before = gate.held();
            awaited = sectionsAwaited;
            gate.movingBegins(awaited);
        }
    }

    /** As often as one likes. */
    void end() {
        if (before != null) {
            gate.movingEnds(awaited);
            figures.checkpointHold(gate.held().minus(before));
            before = null;
        }
    }
}
