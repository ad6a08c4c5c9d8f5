package dev.drrs.runtime.role;

/** A signal about one rescale. */
abstract class RescaleEvent extends NumberedEvent {

    RescaleEvent() {}

    RescaleEvent(int rescale) {
        super(rescale);
    }

    final int rescale() {
        return number();
    }
}
