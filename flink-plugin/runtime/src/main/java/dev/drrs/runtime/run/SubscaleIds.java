package dev.drrs.runtime.run;

/**
 * Numbers subscales within the life of a JobMaster, so that a late message never meets a subscale
 * of another rescale.
 */
public final class SubscaleIds {

    private int last;

    int next() {
        return ++last;
    }
}
