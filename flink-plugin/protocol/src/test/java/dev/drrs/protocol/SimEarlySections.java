package dev.drrs.protocol;

/** A deliberate bug: the section of a subscale is over when its key groups are installed. */
final class SimEarlySections implements Sections {

    private final Sections turns;

    /** Sections that were over before they are said to be. */
    private int early;

    SimEarlySections(Sections turns) {
        this.turns = turns;
    }

    void installed() {
        early++;
        turns.sectionDone();
    }

    @Override
    public void requestSection(Runnable begin) {
        turns.requestSection(begin);
    }

    @Override
    public void sectionDone() {
        if (early > 0) {
            early--;
        } else {
            turns.sectionDone();
        }
    }
}
