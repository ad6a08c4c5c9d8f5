package dev.drrs.protocol;

import java.util.List;
import java.util.function.IntConsumer;

/**
 * How a subtask's main clock and its settled subscales come together (rule R3).
 *
 * <p>They have seen the same elements but started from different subtasks, and after idleness
 * subtasks of one operator may differ for good. Jumping to either clock would make records late
 * that are not. So a channel that holds one of them holds all: as a clock never goes back, the
 * highest stands still until the others have come up to it. With several inputs that brings the
 * clocks of each input together, and with them what is combined of them.
 */
class JoinRule {

    /** Makes channels hold all clocks that hold one; tells of those the main clock did not have. */
    void meet(EventClock main, List<EventClock> settled, IntConsumer mainHoldsAgain) {
        for (int c = 0; c < main.channels(); c++) {
            boolean any = main.holds(c);
            for (EventClock clock : settled) {
                any |= clock.holds(c);
            }
            if (!any) {
                continue;
            }
            if (!main.holds(c)) {
                mainHoldsAgain.accept(c);
                main.hold(c);
            }
            for (EventClock clock : settled) {
                clock.hold(c);
            }
        }
    }

    boolean mayJoin(EventClock main, EventClock settled) {
        return settled.agreesWith(main);
    }
}
