package dev.drrs.runtime.state;

/** State of the old owner that does not fit the state of the same name at the new owner. */
public final class StateMismatchException extends Exception {

    public StateMismatchException(String message) {
        super(message);
    }
}
