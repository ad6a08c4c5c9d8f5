package dev.drrs.protocol;

/**
 * Whatever is needed is asked for at once: by a record, whether others may overtake it or not, or
 * by a timer that is due. The others come behind, in the order of the plan, or only when somebody
 * waits for the end of the rescale. No state, any thread.
 *
 * @param needed what records at hand need, and what comes behind
 * @param background whether anything comes that nobody needs before the rest is wanted
 */
record OnFirstAccess(FetchOnDemand needed, boolean background) implements PullOrder {

    @Override
    public int window() {
        return background ? needed.window() : 0;
    }

    @Override
    public int windowForTheRest() {
        return needed.window();
    }

    @Override
    public int bins() {
        return needed.bins();
    }

    @Override
    public boolean heedsTimers() {
        return true;
    }

    @Override
    public int demanded(Missing missing) {
        int first = needed.demanded(missing);
        first = first >= 0 ? first : missing.firstAwaited();
        return first >= 0 ? first : missing.firstDue();
    }

    @Override
    public int next(Missing missing) {
        return needed.next(missing);
    }
}
