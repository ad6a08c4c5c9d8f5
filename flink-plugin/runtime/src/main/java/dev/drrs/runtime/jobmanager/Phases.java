package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The phases of a request, from those of its parts. Main thread. */
final class Phases {

    private Phases() {}

    /** In the order entered; of a request for one operator simply its phases. */
    static List<Entered> of(Rescale rescale) {
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
                            .mapToLong(part -> end(part.history()).at())
                            .max()
                            .orElseThrow();
            long notBefore = Math.max(end, phases.get(phases.size() - 1).at());
            phases.add(new Entered(rescale.phase(), notBefore, reason(rescale)));
        }
        return phases;
    }

    /** Epoch milliseconds, or -1 while it goes on. */
    static long endedAt(List<Entered> phases) {
        Entered last = end(phases);
        return last.phase().isTerminal() ? last.at() : -1;
    }

    /** Milliseconds spent in the n-th of the phases, up to now if it goes on. */
    static long duration(List<Entered> phases, int n, long now) {
        Entered entered = phases.get(n);
        if (entered.phase().isTerminal()) {
            return 0;
        }
        long end = n + 1 < phases.size() ? phases.get(n + 1).at() : Math.max(now, entered.at());
        return end - entered.at();
    }

    static Entered end(List<Entered> phases) {
        return phases.get(phases.size() - 1);
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
                .map(part -> end(part.history()))
                .filter(end -> end.phase() == rescale.phase())
                .map(Entered::reason)
                .filter(Objects::nonNull)
                .max(Comparator.comparingInt(String::length))
                .orElse(rescale.abortReason());
    }
}
