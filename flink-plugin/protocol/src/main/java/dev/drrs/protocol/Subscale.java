package dev.drrs.protocol;

import java.util.Arrays;
import java.util.Objects;

/**
 * A set of key groups that moves from one old owner to one new owner under its own signals.
 *
 * @param id unique within a job attempt
 * @param oldOwner subtask index
 * @param newOwner subtask index, another one
 * @param keyGroups without duplicates, hottest first
 */
public record Subscale(int id, int oldOwner, int newOwner, int[] keyGroups) {

    public Subscale {
        Objects.requireNonNull(keyGroups);
        if (oldOwner == newOwner || keyGroups.length == 0) {
            throw new IllegalArgumentException(
                    "subscale "
                            + id
                            + ": from "
                            + oldOwner
                            + " to "
                            + newOwner
                            + ", "
                            + keyGroups.length
                            + " key groups");
        }
    }

    /** Arrays are compared by content. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Subscale s
                && s.id == id
                && s.oldOwner == oldOwner
                && s.newOwner == newOwner
                && Arrays.equals(s.keyGroups, keyGroups);
    }

    @Override
    public int hashCode() {
        return id;
    }

    @Override
    public String toString() {
        return "subscale "
                + id
                + " "
                + oldOwner
                + "->"
                + newOwner
                + " "
                + Arrays.toString(keyGroups);
    }
}
