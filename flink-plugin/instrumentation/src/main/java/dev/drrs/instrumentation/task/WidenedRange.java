package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.WovenPoint;
import java.util.List;

/**
 * Marks the range of a backend that may hold any key group ({@link AllKeyGroups}), for what is made
 * of it.
 */
final class WidenedRange extends WovenPoint {

    WidenedRange() {
        super(
                "widened-range",
                "org.apache.flink.runtime.state.KeyGroupRange",
                true,
                List.of(),
                List.of());
    }
}
