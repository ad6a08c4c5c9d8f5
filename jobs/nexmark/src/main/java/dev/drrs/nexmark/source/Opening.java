package dev.drrs.nexmark.source;

import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a file changes in a source by being there: how the outside says when a run goes on, whatever
 * the speed of the machine. All processes of the run see the same file system. Any thread.
 *
 * @param file the path; "" = nothing waits
 * @param waitFrom number of the first event that waits, at least 1; 0 = none does
 * @param backlog until then the source says that it works off a backlog; false = it never says
 *     anything of that kind
 * @param hurry from then on events come as fast as they can, whatever the schedule says
 */
public record Opening(String file, long waitFrom, boolean backlog, boolean hurry)
        implements Serializable {

    public static final Opening NONE = new Opening("", 0, false, false);

    /** How often whoever waits looks again. */
    static final long POLL_MS = 50;

    public boolean isOpen() {
        return file.isEmpty() || Files.exists(Path.of(file));
    }

    /** Whether the event has to wait still. */
    boolean keepsBack(long number) {
        return waitFrom > 0 && number >= waitFrom && !isOpen();
    }
}
