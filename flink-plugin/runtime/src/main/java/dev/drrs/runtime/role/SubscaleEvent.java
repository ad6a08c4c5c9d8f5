package dev.drrs.runtime.role;

/** A signal about one subscale. */
abstract class SubscaleEvent extends NumberedEvent {

    SubscaleEvent() {}

    SubscaleEvent(int subscale) {
        super(subscale);
    }

    final int subscale() {
        return number();
    }
}
