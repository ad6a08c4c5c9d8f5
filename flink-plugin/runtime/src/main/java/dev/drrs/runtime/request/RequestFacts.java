package dev.drrs.runtime.request;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import dev.drrs.runtime.history.Facts;
import dev.drrs.runtime.history.Phases;
import dev.drrs.runtime.message.CollectionPauses;
import dev.drrs.runtime.message.MailCounts;
import dev.drrs.runtime.message.WaitTimes;
import dev.drrs.runtime.run.RunFigures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What there is to say of a request of this JobMaster, from its parts. Main thread. */
final class RequestFacts {

    private RequestFacts() {}

    /** As of now; nothing is known yet of what goes on with it. Main thread. */
    static Facts of(Rescale rescale) {
        List<Entered> phases = phases(rescale);
        return new Facts(
                rescale.requestId(),
                rescale.strategy().name(),
                rescale.cause(),
                rescale.phase(),
                phases.get(0).at(),
                phases,
                rescale.parts().stream().map(RequestFacts::of).toList(),
                List.of());
    }

    private static Facts.Part of(RescalePart part) {
        RunFigures figures = part.figures();
        return new Facts.Part(
                part.vertex().id().toString(),
                part.vertex().name(),
                part.phase(),
                part.fromParallelism(),
                part.order().parallelism(),
                part.minKeyGroups(),
                part.progress(),
                figures.movedKeyGroups(),
                figures.movedBytes(),
                part.migratingSince(),
                part.history(),
                Map.copyOf(figures.suspension()),
                Map.copyOf(figures.flush()),
                new Facts.Waits(
                        of(figures.propagation()),
                        of(figures.alignment()),
                        of(figures.turn()),
                        of(figures.dependency())),
                figures.mails().stream().map(RequestFacts::of).toList(),
                figures.pauses().stream().map(RequestFacts::of).toList(),
                part.messages(),
                figures.checkpointHold(),
                figures.exchangeBytes(),
                figures.exchangeStateBytes(),
                figures.storedBytes(),
                figures.exchangeBusy(),
                figures.probe());
    }

    private static Facts.Wait of(WaitTimes times) {
        return new Facts.Wait(times.count(), times.totalMillis(), times.longestMillis());
    }

    private static Facts.Mails of(MailCounts mails) {
        return new Facts.Mails(mails.kind(), mails.count(), mails.p99Micros(), mails.maxMicros());
    }

    private static Facts.Pauses of(CollectionPauses pauses) {
        return new Facts.Pauses(
                pauses.taskManager(), pauses.count(), pauses.totalMillis(), pauses.longestMillis());
    }

    /** Its phases in the order entered; of a request for one operator simply those of that. */
    static List<Entered> phases(Rescale rescale) {
        if (rescale.parts().size() == 1) {
            return rescale.parts().get(0).history();
        }
        List<Entered> phases = new ArrayList<>();
        phases.add(new Entered(Phase.PLANNED, rescale.acceptedAt(), null));
        first(rescale, Phase.PROVISIONING).ifPresent(phases::add);
        first(rescale, Phase.MIGRATING).ifPresent(phases::add);
        if (rescale.abortReason() != null) {
            phases.add(new Entered(Phase.ABORTING, rescale.abortedAt(), rescale.abortReason()));
        } else if (all(rescale, Phase.RETIRING)) {
            phases.add(new Entered(Phase.RETIRING, last(rescale, Phase.RETIRING), null));
        }
        phases.sort(Comparator.comparingLong(Entered::at));
        if (rescale.isOver()) {
            long end =
                    rescale.parts().stream()
                            .mapToLong(part -> Phases.end(part.history()).at())
                            .max()
                            .orElseThrow();
            long notBefore = Math.max(end, phases.get(phases.size() - 1).at());
            phases.add(new Entered(rescale.phase(), notBefore, reason(rescale)));
        }
        return phases;
    }

    private static Optional<Entered> first(Rescale rescale, Phase phase) {
        return rescale.parts().stream()
                .flatMap(part -> part.history().stream())
                .filter(entered -> entered.phase() == phase)
                .min(Comparator.comparingLong(Entered::at));
    }

    private static boolean all(Rescale rescale, Phase phase) {
        return rescale.parts().stream()
                .allMatch(
                        part ->
                                part.history().stream()
                                        .anyMatch(entered -> entered.phase() == phase));
    }

    private static long last(Rescale rescale, Phase phase) {
        return rescale.parts().stream()
                .flatMap(part -> part.history().stream())
                .filter(entered -> entered.phase() == phase)
                .mapToLong(Entered::at)
                .max()
                .orElseThrow();
    }

    /** Of the part that ended as the whole did; what says most comes last. */
    private static String reason(Rescale rescale) {
        return rescale.parts().stream()
                .map(part -> Phases.end(part.history()))
                .filter(end -> end.phase() == rescale.phase())
                .map(Entered::reason)
                .filter(Objects::nonNull)
                .max(Comparator.comparingInt(String::length))
                .orElse(rescale.abortReason());
    }
}
