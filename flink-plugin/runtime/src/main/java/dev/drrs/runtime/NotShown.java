package dev.drrs.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What only shows things does not make a job, a request or a process of Flink fail. Any thread. */
public final class NotShown {

    private static final Logger LOG = LoggerFactory.getLogger(NotShown.class);

    private NotShown() {}

    /** Called in the place of what advice was about to change, which stays as Flink has it. */
    public static void because(Throwable fault) {
        if (fault instanceof VirtualMachineError fatal) {
            throw fatal;
        }
        LOG.warn("The plug-in could not add what it shows; Flink's own is shown.", fault);
    }
}
