package dev.drrs.runtime.section;

import dev.drrs.protocol.Sections;

/**
 * The sections of one rescale among those of all that are under way. When the rescale is over, by
 * itself or in a failover, so are they all, whatever it still says of them; one that it still waits
 * for never begins. Main thread.
 */
public final class RunSections implements Sections {

    private final Sections all;
    private final Runnable before;
    private int running;
    private boolean over;

    /**
     * @param before runs before each section
     */
    public RunSections(Sections all, Runnable before) {
        this.all = all;
        this.before = before;
    }

    @Override
    public void requestSection(Runnable begin) {
        all.requestSection(
                () -> {
                    if (over) {
                        all.sectionDone(); // granted before the end, or waiting in it
                    } else {
                        running++;
                        before.run();
                        begin.run();
                    }
                },
                () -> over);
    }

    @Override
    public void sectionDone() {
        if (!over) {
            running--;
            all.sectionDone();
        }
    }

    /** Those that run have ended, and none begins any more. */
    public void end() {
        over = true;
        for (; running > 0; running--) {
            all.sectionDone();
        }
    }
}
