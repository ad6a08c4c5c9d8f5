package dev.drrs.runtime.run;

import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.runtime.message.MailCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * What a job's rescales did, as metrics in the group {@code drrs} of the job in the JobManager.
 * Sums count from the start of the JobMaster; times are milliseconds unless a name says otherwise.
 *
 * <p>Written in the main thread, read by reporters in any thread.
 */
public final class RunMetrics {

    /** Name of the group. */
    static final String GROUP = "drrs";

    private static final List<Phase> TIMED =
            List.of(Phase.PROVISIONING, Phase.MIGRATING, Phase.RETIRING, Phase.ABORTING);

    private final AtomicLong movedKeyGroups = new AtomicLong();
    private final AtomicLong movedBytes = new AtomicLong();
    private final AtomicLong storedBytes = new AtomicLong();
    private final AtomicLong subscales = new AtomicLong();
    private final AtomicLong reroutedRecords = new AtomicLong();
    private final AtomicLong setAsideRecords = new AtomicLong();
    private final AtomicLong fetchedOnDemand = new AtomicLong();
    private final AtomicLong bins = new AtomicLong();
    private final AtomicLong suspension = new AtomicLong();
    private final AtomicLong propagation = new AtomicLong();
    private final AtomicLong alignment = new AtomicLong();
    private final AtomicLong turn = new AtomicLong();
    private final AtomicLong dependency = new AtomicLong();
    private final AtomicLong lastMails = new AtomicLong();
    private final AtomicLong lastMailP99 = new AtomicLong();
    private final AtomicLong lastMailMax = new AtomicLong();
    private final AtomicLong lastDuration = new AtomicLong();
    private volatile String lastStrategy = "";
    private final Map<Phase, AtomicLong> lastPhase = new EnumMap<>(Phase.class);
    private final Map<Phase, AtomicLong> ended = new EnumMap<>(Phase.class);

    public RunMetrics() {
        TIMED.forEach(phase -> lastPhase.put(phase, new AtomicLong()));
        List.of(Phase.COMPLETED, Phase.ABORTED, Phase.FAILED)
                .forEach(phase -> ended.put(phase, new AtomicLong()));
    }

    public void register(MetricGroup job) {
        MetricGroup group = job.addGroup(GROUP);
        gauge(group, "movedKeyGroups", movedKeyGroups);
        gauge(group, "movedBytes", movedBytes);
        gauge(group, "storedBytes", storedBytes);
        gauge(group, "subscales", subscales);
        gauge(group, "reroutedRecords", reroutedRecords);
        gauge(group, "setAsideRecords", setAsideRecords);
        gauge(group, "fetchedOnDemand", fetchedOnDemand);
        gauge(group, "bins", bins);
        gauge(group, "suspensionMs", suspension);
        gauge(group, "propagationMs", propagation);
        gauge(group, "alignmentMs", alignment);
        gauge(group, "turnMs", turn);
        gauge(group, "dependencyMs", dependency);
        gauge(group, "lastMails", lastMails);
        gauge(group, "lastMailP99Us", lastMailP99);
        gauge(group, "lastMailMaxUs", lastMailMax);
        gauge(group, "lastDurationMs", lastDuration);
        group.gauge("lastStrategy", (Gauge<String>) () -> lastStrategy);
        lastPhase.forEach((phase, time) -> gauge(group, "last" + word(phase) + "Ms", time));
        ended.forEach((phase, count) -> gauge(group, "num" + word(phase), count));
    }

    private static String word(Phase phase) {
        return phase.name().charAt(0) + phase.name().substring(1).toLowerCase(Locale.ROOT);
    }

    private static void gauge(MetricGroup group, String name, AtomicLong value) {
        group.gauge(name, (Gauge<Long>) value::get);
    }

    /** A rescale is over. */
    public void add(RescaleRun run) {
        Migration.Progress progress = run.progress();
        RunFigures figures = run.figures();
        movedKeyGroups.addAndGet(figures.movedKeyGroups());
        movedBytes.addAndGet(figures.movedBytes());
        storedBytes.addAndGet(figures.storedBytes());
        subscales.addAndGet(progress.done());
        lastStrategy = run.order().strategy().name();
        reroutedRecords.addAndGet(progress.rerouted());
        setAsideRecords.addAndGet(progress.setAside());
        fetchedOnDemand.addAndGet(progress.demanded());
        bins.addAndGet(progress.bins());
        suspension.addAndGet(
                figures.suspension().values().stream().mapToLong(Long::longValue).sum());
        propagation.addAndGet(figures.propagation().totalMillis());
        alignment.addAndGet(figures.alignment().totalMillis());
        turn.addAndGet(figures.turn().totalMillis());
        dependency.addAndGet(figures.dependency().totalMillis());
        MailCounts mails = figures.allMails();
        lastMails.set(mails.count());
        lastMailP99.set(mails.p99Micros());
        lastMailMax.set(mails.maxMicros());
        RescaleLifecycle lifecycle = run.lifecycle();
        lastDuration.set(lifecycle.endedAt() - lifecycle.acceptedAt());
        lastPhase.values().forEach(time -> time.set(0));
        for (int i = 0; i < lifecycle.history().size(); i++) {
            AtomicLong time = lastPhase.get(lifecycle.history().get(i).phase());
            if (time != null) {
                time.addAndGet(lifecycle.durationMs(i));
            }
        }
        ended.get(lifecycle.phase()).incrementAndGet();
    }
}
