package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.SplitPlan;
import dev.drrs.nexmark.generator.Workload;

/** Feeds that make their events. */
record GeneratorFeeds(Workload workload) implements Feeds {

    @Override
    public int splits() {
        return workload.splits();
    }

    @Override
    public boolean bounded() {
        return workload.events() > 0;
    }

    @Override
    public long baseTimeMs() {
        return workload.baseTimeMs();
    }

    @Override
    public Feed open(NexmarkSplit split) {
        return new GeneratorFeed(workload.split(split.index()), split.position());
    }

    private static final class GeneratorFeed implements Feed {
        private final SplitPlan plan;
        private long position;
        private Event next;

        private GeneratorFeed(SplitPlan plan, long position) {
            this.plan = plan;
            this.position = position;
        }

        @Override
        public Event peek() {
            if (next == null && position < plan.size()) {
                next = plan.event(position);
            }
            return next;
        }

        @Override
        public void advance() {
            next = null;
            position++;
        }

        @Override
        public long watermark() {
            return plan.watermark(position);
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long byteOffset() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
