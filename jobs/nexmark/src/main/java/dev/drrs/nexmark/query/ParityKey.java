package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.java.functions.KeySelector;

/** A key that Flink accepts although its hash code is another one in each JVM. */
public record ParityKey(long auction, Parity parity) {

    /** An enum has the hash code of its object. */
    public enum Parity {
        EVEN,
        ODD
    }

    /** Takes it from a bid. */
    static final class Selector implements KeySelector<ScheduledEvent, ParityKey> {
        @Override
        public ParityKey getKey(ScheduledEvent event) {
            long auction = event.bid().auction();
            return new ParityKey(auction, auction % 2 == 0 ? Parity.EVEN : Parity.ODD);
        }
    }
}
