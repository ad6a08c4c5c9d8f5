package dev.drrs.runtime.history;

import dev.drrs.protocol.RescaleLifecycle.Entered;
import dev.drrs.runtime.answer.RescaleHistory;
import dev.drrs.runtime.answer.RescaleStatus;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What is known of rescales as REST answers it. Any thread. */
public final class Statuses {

    private final Facts facts;

    /** Epoch milliseconds. */
    private final long now;

    private Statuses(Facts facts, long now) {
        this.facts = facts;
        this.now = now;
    }

    public static RescaleHistory all(List<Facts> all, long now) {
        return new RescaleHistory(all.stream().map(facts -> of(facts, now)).toList());
    }

    /** A request for one operator is shown like its only part. */
    public static RescaleStatus of(Facts facts, long now) {
        Statuses statuses = new Statuses(facts, now);
        return facts.parts().size() == 1
                ? statuses.part(facts.parts().get(0), facts.continuedBy())
                : statuses.whole();
    }

    private RescaleStatus whole() {
        List<Facts.Part> parts = facts.parts();
        return new RescaleStatus(
                facts.requestId(),
                null,
                parts.stream().map(Facts.Part::vertexName).collect(Collectors.joining(", ")),
                facts.phase().name(),
                facts.strategy(),
                facts.cause(),
                Phases.end(facts.phases()).reason(),
                facts.continuedBy(),
                null,
                null,
                sum(Facts.Part::minKeyGroups),
                new RescaleStatus.Moved(
                        sum(part -> part.progress().movedKeyGroups()),
                        sum(part -> part.progress().totalKeyGroups())),
                new RescaleStatus.Moved(sum(Facts.Part::movedBytes), sum(Statuses::bytes)),
                new RescaleStatus.Subscales(
                        sum(part -> part.progress().open()),
                        sum(part -> part.progress().done()),
                        sum(part -> part.progress().total())),
                null,
                facts.acceptedAt(),
                endedAt(facts.phases()),
                duration(facts.phases()),
                phases(facts.phases()),
                new RescaleStatus.Records(
                        sum(part -> part.progress().rerouted()),
                        sum(part -> part.progress().setAside()),
                        sum(part -> part.progress().demanded()),
                        sum(part -> part.progress().bins())),
                Map.of(),
                Map.of(),
                waits(parts),
                List.of(),
                List.of(),
                sum(Facts.Part::messages),
                parts.stream().mapToLong(Facts.Part::checkpointHold).max().orElseThrow(),
                new RescaleStatus.Exchange(
                        sum(Facts.Part::exchangeBytes),
                        sum(Facts.Part::exchangeStateBytes),
                        sum(Facts.Part::storedBytes),
                        parts.stream().mapToLong(Facts.Part::exchangeBusy).max().orElseThrow(),
                        0),
                parts.stream().map(part -> part(part, List.of())).toList());
    }

    private RescaleStatus part(Facts.Part part, List<String> continuedBy) {
        return new RescaleStatus(
                facts.requestId(),
                part.vertexId(),
                part.vertexName(),
                part.phase().name(),
                facts.strategy(),
                facts.cause(),
                Phases.end(part.phases()).reason(),
                continuedBy,
                part.fromParallelism(),
                part.toParallelism(),
                part.minKeyGroups(),
                new RescaleStatus.Moved(
                        part.progress().movedKeyGroups(), part.progress().totalKeyGroups()),
                new RescaleStatus.Moved(part.movedBytes(), bytes(part)),
                new RescaleStatus.Subscales(
                        part.progress().open(), part.progress().done(), part.progress().total()),
                eta(part),
                part.phases().get(0).at(),
                endedAt(part.phases()),
                duration(part.phases()),
                phases(part.phases()),
                new RescaleStatus.Records(
                        part.progress().rerouted(),
                        part.progress().setAside(),
                        part.progress().demanded(),
                        part.progress().bins()),
                new TreeMap<>(part.suspension()),
                new TreeMap<>(part.flush()),
                waits(List.of(part)),
                part.mails().stream().map(Statuses::mails).toList(),
                part.pauses().stream().map(Statuses::pauses).toList(),
                part.messages(),
                part.checkpointHold(),
                new RescaleStatus.Exchange(
                        part.exchangeBytes(),
                        part.exchangeStateBytes(),
                        part.storedBytes(),
                        part.exchangeBusy(),
                        part.probe()),
                List.of());
    }

    private List<RescaleStatus.Phase> phases(List<Entered> phases) {
        return IntStream.range(0, phases.size())
                .mapToObj(
                        i ->
                                new RescaleStatus.Phase(
                                        phases.get(i).phase().name(),
                                        phases.get(i).at(),
                                        Phases.duration(phases, i, now),
                                        phases.get(i).reason()))
                .toList();
    }

    private static RescaleStatus.Waits waits(List<Facts.Part> of) {
        return new RescaleStatus.Waits(
                each(of, Facts.Waits::propagation),
                each(of, Facts.Waits::alignment),
                each(of, Facts.Waits::turn),
                each(of, Facts.Waits::dependency));
    }

    private static RescaleStatus.Wait each(
            List<Facts.Part> of, Function<Facts.Waits, Facts.Wait> which) {
        List<Facts.Wait> all = of.stream().map(part -> which.apply(part.waits())).toList();
        return new RescaleStatus.Wait(
                all.stream().mapToLong(Facts.Wait::count).sum(),
                all.stream().mapToLong(Facts.Wait::totalMs).sum(),
                all.stream().mapToLong(Facts.Wait::longestMs).max().orElseThrow());
    }

    private static RescaleStatus.Mails mails(Facts.Mails of) {
        return new RescaleStatus.Mails(of.kind(), of.count(), of.p99Us(), of.maxUs());
    }

    private static RescaleStatus.GcPauses pauses(Facts.Pauses of) {
        return new RescaleStatus.GcPauses(
                of.taskManager(), of.count(), of.totalMs(), of.longestMs());
    }

    private static Long endedAt(List<Entered> phases) {
        long end = Phases.endedAt(phases);
        return end < 0 ? null : end;
    }

    private long duration(List<Entered> phases) {
        long end = Phases.endedAt(phases);
        return (end < 0 ? now : end) - phases.get(0).at();
    }

    private long sum(ToLongFunction<Facts.Part> value) {
        return facts.parts().stream().mapToLong(value).sum();
    }

    /** In all, if the key groups still to come are as large as those that came. */
    private static long bytes(Facts.Part part) {
        long moved = part.movedBytes();
        int of = part.figuresOf();
        return of == 0
                ? 0
                : Math.max(
                        moved, Math.round((double) moved / of * part.progress().totalKeyGroups()));
    }

    /** Time left if the rest goes as fast as what is done; null before anything is. */
    private Long eta(Facts.Part part) {
        int done = part.figuresOf();
        if (part.phase().isTerminal() || part.migratingSince() < 0 || done == 0) {
            return null;
        }
        long elapsed = now - part.migratingSince();
        return Math.max(0, elapsed * (part.progress().totalKeyGroups() - done) / done);
    }
}
