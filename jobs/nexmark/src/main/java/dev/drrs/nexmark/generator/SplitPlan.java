package dev.drrs.nexmark.generator;

import dev.drrs.nexmark.generator.Workload.Layout;

/**
 * What one split emits at each of its positions (0, 1, 2, ..). Stateless, so a position is all that
 * a restore needs.
 */
public final class SplitPlan {

    /** Step of the shuffle within a disorder group; prime, so that it meets each member once. */
    static final int DISORDER_STRIDE = 953;

    private final Workload workload;
    private final EventGenerator generator;
    private final int index;
    private final long size;

    SplitPlan(Workload workload, int index) {
        this.workload = workload;
        this.generator = new EventGenerator(workload.mode(), workload.seed());
        this.index = index;
        this.size = size(workload, index);
    }

    private static long size(Workload workload, int index) {
        long events = workload.events();
        int splits = workload.splits();
        if (workload.layout() == Layout.GENERATORS) {
            long block = events / splits;
            return index == splits - 1 ? events - block * (splits - 1) : block;
        }
        return events == 0 ? Long.MAX_VALUE / splits - 1 : (events - index + splits - 1) / splits;
    }

    /** How many events the split has. */
    public long size() {
        return size;
    }

    /** The event at {@code position}. */
    public Event event(long position) {
        long ordinal = shuffled(position);
        long index = scheduleIndex(ordinal);
        RateSchedule schedule = workload.schedule();
        long time = schedule.offsetMs(index);
        long horizon = schedule.offsetMs(index + EventGenerator.EVENTS_PER_AUCTION_LIFE) - time;
        return generator.generate(
                number(ordinal), dueMs(position), workload.baseTimeMs() + time, horizon);
    }

    /** No event after {@code position} has an event time at or below this, epoch ms. */
    public long watermark(long position) {
        return workload.baseTimeMs() + dueMs(position - position % workload.disorderGroup()) - 1;
    }

    private long shuffled(long position) {
        int group = workload.disorderGroup();
        long first = position - position % group;
        // An incomplete last group stays in order: its shuffle would reach past the end.
        if (group == 1 || first + group > size) {
            return position;
        }
        return first + position % group * DISORDER_STRIDE % group;
    }

    private long number(long ordinal) {
        return workload.layout() == Layout.GENERATORS
                ? workload.startNumber() + workload.events() / workload.splits() * index + ordinal
                : workload.startNumber() + ordinal * workload.splits() + index;
    }

    private long dueMs(long position) {
        return workload.schedule().offsetMs(scheduleIndex(position));
    }

    private long scheduleIndex(long ordinal) {
        return workload.layout() == Layout.GENERATORS
                ? ordinal
                : ordinal * workload.splits() + index;
    }
}
