package dev.drrs.protocol;

/** An invariant does not hold. */
final class Violation extends RuntimeException {

    Violation(String message) {
        super(message);
    }

    static void check(boolean condition, String message) {
        if (!condition) {
            throw new Violation(message);
        }
    }
}
