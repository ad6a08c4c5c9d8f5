package dev.drrs.protocol;

/**
 * What a record at hand needs is asked for at once, whatever else is on its way; the others come
 * behind, in the order of the plan. No state, any thread.
 *
 * @param window key groups of a subscale that are asked for at a time without a record that needs
 *     them, at least 1: a demand waits behind so many at most
 */
record FetchOnDemand(int window) implements PullOrder {

    FetchOnDemand {
        if (window < 1) {
            throw new IllegalArgumentException("pull window " + window + " is below 1");
        }
    }

    @Override
    public int demanded(Missing missing) {
        return missing.atHand();
    }

    @Override
    public int next(Missing missing) {
        int first = missing.atHand();
        return first >= 0 ? first : missing.firstOfPlan();
    }
}
