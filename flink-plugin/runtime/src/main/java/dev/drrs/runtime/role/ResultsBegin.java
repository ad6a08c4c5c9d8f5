package dev.drrs.runtime.role;

/**
 * From a new owner to all that is behind it: from here on results may be of the subscale's key
 * groups.
 */
public final class ResultsBegin extends SubscaleEvent {

    /** For Flink's event serializer. */
    public ResultsBegin() {}

    public ResultsBegin(int subscale) {
        super(subscale);
    }
}
