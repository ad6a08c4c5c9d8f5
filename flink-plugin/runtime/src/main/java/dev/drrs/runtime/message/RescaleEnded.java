package dev.drrs.runtime.message;

import java.util.List;

/**
 * What a subtask measured in a rescale.
 *
 * @param suspensionMillis how long it did not read at least one of its channels, milliseconds
 * @param flushMillis how long it took to write out what its operators held, milliseconds
 * @param propagation of subscales that left, from their first signal here to the last one
 * @param alignment of these, from their first signal here until they left
 * @param dependency of key groups that came, from when they had left until they were here
 * @param exchangeBytes bytes it sent over peer exchanges
 * @param exchangeStateBytes of these, state in chunks
 * @param storedBytes bytes of state it wrote to shared storage
 * @param exchangeBusyMillis time between the first and the last of them, milliseconds
 * @param probeBytesPerSecond raw throughput of its first exchange, 0 if it was not probed
 * @param mails how long mails of the plug-in took in its mailbox, by kind
 * @param pauses of its TaskManager since the rescale came to the subtask, for garbage
 */
public record RescaleEnded(
        int rescale,
        int subtask,
        long suspensionMillis,
        long flushMillis,
        WaitTimes propagation,
        WaitTimes alignment,
        WaitTimes dependency,
        long exchangeBytes,
        long exchangeStateBytes,
        long storedBytes,
        long exchangeBusyMillis,
        double probeBytesPerSecond,
        List<MailCounts> mails,
        CollectionPauses pauses)
        implements OfRescale {}
