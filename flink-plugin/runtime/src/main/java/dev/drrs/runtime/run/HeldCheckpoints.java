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

    HeldCheckpoints(CheckpointTurns gate, RunFigures figures) {
        this.gate = gate;
        this.figures = figures;
    }

    /** A second call without an end changes nothing. */
    void begin() {
        if (before == null) {
            before = gate.held();
            gate.movingBegins();
        }
    }

    /** As often as one likes. */
    void end() {
        if (before != null) {
            gate.movingEnds();
            figures.checkpointHold(gate.held().minus(before));
            before = null;
        }
    }
}
