package dev.drrs.runtime.run;

import dev.drrs.runtime.message.CollectionPauses;
import dev.drrs.runtime.message.MailCounts;
import dev.drrs.runtime.message.RescaleEnded;
import dev.drrs.runtime.message.WaitTimes;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** What a rescale measured. Times in milliseconds. Main thread. */
public final class RunFigures {

    private final Map<Integer, Long> suspension = new TreeMap<>();
    private final Map<Integer, Long> flush = new TreeMap<>();
    private final Map<String, MailCounts> mails = new TreeMap<>();
    private final Map<String, CollectionPauses> pauses = new TreeMap<>();
    private final Turns turns = new Turns(System::nanoTime);
    private WaitTimes propagation = WaitTimes.NONE;
    private WaitTimes alignment = WaitTimes.NONE;
    private WaitTimes dependency = WaitTimes.NONE;
    private int movedKeyGroups;
    private long movedBytes;
    private long exchangeBytes;
    private long exchangeStateBytes;
    private long storedBytes;
    private long exchangeBusy;
    private double probe;
    private long checkpointHold;

    void addMoved(int keyGroups, long bytes) {
        movedKeyGroups += keyGroups;
        movedBytes += bytes;
    }

    void add(RescaleEnded report) {
        suspension.put(report.subtask(), report.suspensionMillis());
        flush.put(report.subtask(), report.flushMillis());
        propagation = propagation.plus(report.propagation());
        alignment = alignment.plus(report.alignment());
        dependency = dependency.plus(report.dependency());
        exchangeBytes += report.exchangeBytes();
        exchangeStateBytes += report.exchangeStateBytes();
        storedBytes += report.storedBytes();
        exchangeBusy = Math.max(exchangeBusy, report.exchangeBusyMillis());
        probe = Math.max(probe, report.probeBytesPerSecond());
        pauses.merge(report.pauses().taskManager(), report.pauses(), CollectionPauses::or);
        report.mails().forEach(counts -> mails.merge(counts.kind(), counts, MailCounts::plus));
    }

    /**
     * How long the plug-in's mails took at the owners, by kind; complete when exchanges have ended.
     */
    public Collection<MailCounts> mails() {
        return mails.values();
    }

    /** Those of all kinds. */
    MailCounts allMails() {
        return mails.values().stream()
                .reduce(new MailCounts("all", 0, new long[0]), MailCounts::plus);
    }

    /** By TaskManager of owners, as {@link #mails}: pauses to collect garbage. */
    public Collection<CollectionPauses> pauses() {
        return pauses.values();
    }

    void checkpointHold(Duration time) {
        checkpointHold += time.toMillis();
    }

    /** For how long periodic checkpoints were held back while its key groups moved. */
    public long checkpointHold() {
        return checkpointHold;
    }

    /** Key groups whose state arrived, moves back counted as well. */
    public int movedKeyGroups() {
        return movedKeyGroups;
    }

    public long movedBytes() {
        return movedBytes;
    }

    /** By subtask. */
    public Map<Integer, Long> suspension() {
        return suspension;
    }

    /** By subtask: how long old owners wrote out what their operators held. */
    public Map<Integer, Long> flush() {
        return flush;
    }

    /** Whoever starts subscales says so here. */
    Turns turns() {
        return turns;
    }

    /** Of each subscale that started: from when it was ready until then. */
    public WaitTimes turn() {
        return turns.times();
    }

    /** Of each subscale that left: from the first signal at its old owner to the last one. */
    public WaitTimes propagation() {
        return propagation;
    }

    /** Of each subscale that left: from the first signal at its old owner until then. */
    public WaitTimes alignment() {
        return alignment;
    }

    /** Of each key group that moved: from when it had left its old owner until it was there. */
    public WaitTimes dependency() {
        return dependency;
    }

    public long exchangeBytes() {
        return exchangeBytes;
    }

    /** Of {@link #exchangeBytes} those of state. */
    public long exchangeStateBytes() {
        return exchangeStateBytes;
    }

    /** Of state, in shared storage. */
    public long storedBytes() {
        return storedBytes;
    }

    /** The longest of the subtasks' times. */
    public long exchangeBusy() {
        return exchangeBusy;
    }

    /** Bytes per second of the fastest probe, 0 if none was made. */
    public double probe() {
        return probe;
    }
}
