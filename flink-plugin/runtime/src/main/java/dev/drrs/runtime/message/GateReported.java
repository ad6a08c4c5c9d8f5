package dev.drrs.runtime.message;

import dev.drrs.protocol.GateReport;

/** A {@link GateReport} on its way to the JobManager. */
public record GateReported(
        Kind kind, int subscale, long promised, long rerouted, long setAside, long mostWaiting)
        implements OfVertex {

    /** Which report it is. */
    public enum Kind {
        PROMISED,
        READY,
        INSTALLED,
        SETTLED,
        JOINED,
        CANCELLED
    }

    public static GateReported of(GateReport report) {
        if (report instanceof GateReport.Promised promised) {
            return new GateReported(Kind.PROMISED, report.subscale(), promised.promised(), 0, 0, 0);
        }
        if (report instanceof GateReport.Settled settled) {
            GateReport.Counters counted = settled.counters();
            return new GateReported(
                    Kind.SETTLED,
                    report.subscale(),
                    0,
                    counted.rerouted(),
                    counted.setAside(),
                    counted.mostWaiting());
        }
        return new GateReported(kindOf(report), report.subscale(), 0, 0, 0, 0);
    }

    private static Kind kindOf(GateReport report) {
        if (report instanceof GateReport.Ready) {
            return Kind.READY;
        }
        if (report instanceof GateReport.Installed) {
            return Kind.INSTALLED;
        }
        return report instanceof GateReport.Joined ? Kind.JOINED : Kind.CANCELLED;
    }

    public GateReport report() {
        return switch (kind) {
            case PROMISED -> new GateReport.Promised(subscale, promised);
            case READY -> new GateReport.Ready(subscale);
            case INSTALLED -> new GateReport.Installed(subscale);
            case SETTLED ->
                    new GateReport.Settled(
                            subscale, new GateReport.Counters(rerouted, setAside, mostWaiting));
            case JOINED -> new GateReport.Joined(subscale);
            case CANCELLED -> new GateReport.Cancelled(subscale);
        };
    }
}
