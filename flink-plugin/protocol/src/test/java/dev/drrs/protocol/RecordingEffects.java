package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;

/** Writes down what a gate wants, as text. */
final class RecordingEffects implements GateEffects<String> {

    final List<String> log = new ArrayList<>();
    final List<PeerElement<String>> sent = new ArrayList<>();
    final List<GateReport> reports = new ArrayList<>();
    boolean room = true;
    boolean consumers = true;
    long copySize = 1;
    long[] firstTimers = {};
    long[] sizes = {};

    /** How many more elements are to be taken that have waited. */
    int takes = Integer.MAX_VALUE;

    /** What has been written since the last time. */
    List<String> take() {
        List<String> out = List.copyOf(log);
        log.clear();
        return out;
    }

    @Override
    public void process(String element, int channel, int keyGroup, long clock, int subscale) {
        log.add("process " + element + " at " + clock + " in " + subscale);
    }

    @Override
    public void inputWatermark(int input, long clock, boolean forwards) {
        log.add(of(input) + (forwards ? "plain " : "main ") + clock);
    }

    @Override
    public void inputStatus(int input, boolean idle, boolean forwards) {
        log.add(of(input) + (forwards ? "" : "main ") + (idle ? "idle" : "active"));
    }

    private static String of(int input) {
        return input == 0 ? "" : "input " + input + " ";
    }

    @Override
    public void fire(int subscale, long clock) {
        log.add("fire " + subscale + " to " + clock);
    }

    @Override
    public void emitWatermark(long timestamp) {
        log.add("emit " + timestamp);
    }

    @Override
    public void emitStatus(boolean idle) {
        log.add(idle ? "idle" : "active");
    }

    @Override
    public void fireInstalled(int subscale, int keyGroup, Bin bin, long clock) {
        log.add("fire " + named(keyGroup, bin) + " of " + subscale + " to " + clock);
    }

    @Override
    public void endResults(Subscale subscale) {
        log.add("results end " + subscale.id());
    }

    @Override
    public void beginResults(Subscale subscale) {
        log.add("results begin " + subscale.id());
    }

    @Override
    public long[] sizes(Subscale subscale) {
        return sizes.length > 0 ? sizes : new long[subscale.keyGroups().length];
    }

    @Override
    public void detach(Subscale subscale) {
        log.add("detach " + subscale.id());
    }

    @Override
    public long[] firstTimers(Subscale subscale, int bins) {
        return firstTimers;
    }

    @Override
    public void tellAt(Subscale subscale, long timestamp) {
        log.add("tell " + subscale.id() + " at " + timestamp);
    }

    @Override
    public long copySize(Subscale subscale) {
        return copySize;
    }

    @Override
    public void copyAhead(Subscale subscale) {
        log.add("copy " + subscale.id());
    }

    @Override
    public void stopCopying(Subscale subscale) {
        log.add("stop copying " + subscale.id());
    }

    @Override
    public void dropCopy(Subscale subscale) {
        log.add("drop copy " + subscale.id());
    }

    @Override
    public void sendPeer(Subscale subscale, PeerElement<String> element) {
        log.add("send " + element.getClass().getSimpleName());
        sent.add(element);
    }

    @Override
    public void rerouteLater(Subscale subscale, long millis) {
        log.add("re-route " + subscale.id() + " in " + millis);
    }

    @Override
    public boolean peerHasRoom(Subscale subscale) {
        return room;
    }

    @Override
    public void pull(Subscale subscale, int keyGroup, Bin bin) {
        log.add("pull " + named(keyGroup, bin));
    }

    private static String named(int keyGroup, Bin bin) {
        return keyGroup + (bin.of() == 1 ? "" : "/" + bin.number());
    }

    /** The last letter says it. */
    @Override
    public int hash(String element, int channel) {
        return element.charAt(element.length() - 1);
    }

    @Override
    public int bin(int hash, int bins) {
        return hash % bins;
    }

    @Override
    public boolean takesMore() {
        return takes-- > 0;
    }

    @Override
    public boolean align(Subscale subscale) {
        log.add("align " + subscale.id());
        return consumers;
    }

    @Override
    public void hold(int channel) {
        log.add("hold " + channel);
    }

    @Override
    public void resume(int channel) {
        log.add("resume " + channel);
    }

    @Override
    public void joined(Subscale subscale) {
        log.add("joined " + subscale.id());
    }

    @Override
    public void report(GateReport report) {
        reports.add(report);
        log.add(report.getClass().getSimpleName() + " " + report.subscale());
    }
}
