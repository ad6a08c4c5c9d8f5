package dev.drrs.runtime.role;

/**
 * From an old owner to all that is behind it: no result that it makes of the subscale's key groups
 * follows.
 */
public final class ResultsEnd extends SubscaleEvent {

    /** For Flink's event serializer. */
    public ResultsEnd() {}

    public ResultsEnd(int subscale) {
        super(subscale);
    }
}
