package dev.drrs.runtime.message;

import dev.drrs.protocol.GateReport;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * From an owner: what its gate reports, as much as came up at a stretch, in order; and what has
 * arrived since the last time.
 *
 * @param said in order; none if it is only about what has arrived
 * @param keyGroups how many have been installed
 * @param bytes their serialized size
 */
public record GateReported(ArrayList<One> said, int keyGroups, long bytes) implements OfVertex {

    /** Which report it is. */
    public enum Kind {
        PROMISED,
        READY,
        INSTALLED,
        SETTLED,
        JOINED,
        CANCELLED
    }

    /** A {@link GateReport} on its way to the JobManager. */
    public record One(
            Kind kind,
            int subscale,
            long promised,
            long rerouted,
            long setAside,
            long mostWaiting,
            long demanded,
            long bins)
            implements Serializable {

        private static One of(GateReport report) {
            if (report instanceof GateReport.Promised promised) {
                return new One(
                        Kind.PROMISED, report.subscale(), promised.promised(), 0, 0, 0, 0, 0);
            }
            if (report instanceof GateReport.Settled settled) {
                GateReport.Counters counted = settled.counters();
                return new One(
                        Kind.SETTLED,
                        report.subscale(),
                        0,
                        counted.rerouted(),
                        counted.setAside(),
                        counted.mostWaiting(),
                        counted.demanded(),
                        counted.bins());
            }
            return new One(kindOf(report), report.subscale(), 0, 0, 0, 0, 0, 0);
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

        private GateReport report() {
            return switch (kind) {
                case PROMISED -> new GateReport.Promised(subscale, promised);
                case READY -> new GateReport.Ready(subscale);
                case INSTALLED -> new GateReport.Installed(subscale);
                case SETTLED ->
                        new GateReport.Settled(
                                subscale,
                                new GateReport.Counters(
                                        rerouted, setAside, mostWaiting, demanded, bins));
                case JOINED -> new GateReport.Joined(subscale);
                case CANCELLED -> new GateReport.Cancelled(subscale);
            };
        }
    }

    public static GateReported of(List<GateReport> reports, int keyGroups, long bytes) {
        ArrayList<One> said = new ArrayList<>(reports.size());
        reports.forEach(report -> said.add(One.of(report)));
        return new GateReported(said, keyGroups, bytes);
    }

    public List<GateReport> reports() {
        return said.stream().map(One::report).toList();
    }
}
