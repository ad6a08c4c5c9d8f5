package dev.drrs.protocol;

/**
 * Key groups whose state is missed most come first: those that hold up the exchange or a channel,
 * then the one that most elements wait for, then the plan's order. Of a large one it is bins. No
 * state, any thread.
 *
 * @param window parts of a subscale asked for at a time, at least 1
 */
record HottestFirst(int window, BinsBySize binsBySize) implements PullOrder {

    HottestFirst {
        if (window < 1) {
            throw new IllegalArgumentException("pull window " + window + " is below 1");
        }
    }

    @Override
    public int next(Missing missing) {
        int first = missing.atHand();
        if (first >= 0) {
            return first;
        }
        if (missing.firstAwaited() < 0) {
            return missing.firstOfPlan(); // there may be very many bins
        }
        int next = -1;
        int most = -1;
        for (int part : missing.parts()) {
            if (!missing.isRequested(part) && missing.waiting(part) > most) {
                most = missing.waiting(part);
                next = part;
            }
        }
        return next;
    }
}
