package dev.drrs.runtime.message;

import dev.drrs.protocol.Subscale;
import java.io.Serializable;

/** A {@link Subscale} on its way between JobManager and tasks. */
public record Move(int id, int oldOwner, int newOwner, int[] keyGroups) implements Serializable {

    public static Move of(Subscale subscale) {
        return new Move(
                subscale.id(), subscale.oldOwner(), subscale.newOwner(), subscale.keyGroups());
    }

    public Subscale subscale() {
        return new Subscale(id, oldOwner, newOwner, keyGroups);
    }
}
