package dev.drrs.protocol;

/**
 * Key groups come in the order of the plan. No state, any thread.
 *
 * @param window key groups of a subscale asked for at a time, at least 1
 */
record PlanOrder(int window) implements PullOrder {

    /** All of a subscale at once, however many it has. */
    static final PlanOrder ALL_AT_ONCE = new PlanOrder(Integer.MAX_VALUE);

    PlanOrder {
        if (window < 1) {
            throw new IllegalArgumentException("pull window " + window + " is below 1");
        }
    }

    @Override
    public int next(Missing missing) {
        return missing.firstOfPlan();
    }
}
