package dev.drrs.protocol;

/**
 * What a record at hand needs is asked for at once, whatever else is on its way; the others come
 * behind, in the order of the plan. No state, any thread.
 *
 * @param window parts of a subscale that are asked for at a time without a record that needs them,
 *     at least 1: a demand waits behind so many at most
 * @param bins in which each key group comes, at least 1
 */
record FetchOnDemand(int window, int bins) implements PullOrder {

    FetchOnDemand {
        if (window < 1 || bins < 1) {
            throw new IllegalArgumentException("pull window " + window + ", " + bins + " bins");
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
