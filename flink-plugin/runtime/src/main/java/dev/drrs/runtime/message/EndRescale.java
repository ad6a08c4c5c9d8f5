package dev.drrs.runtime.message;

/**
 * To every task that took part: the rescale is over, peer exchanges may close; answered by {@link
 * RescaleEnded} from old and new owners.
 */
public record EndRescale(int rescale) implements OfRescale {}
