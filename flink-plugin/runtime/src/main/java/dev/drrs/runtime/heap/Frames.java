package dev.drrs.runtime.heap;

/**
 * How a key group looks on the wire: frames, each an int (length of the rest), a type byte and a
 * body. A chunk may begin and end anywhere in a frame. Order: one header; if it was copied ahead,
 * per state of the copy one description and its entries, then the end of the copy; then per state
 * one description, or what it is changed from, and its entries, then one end. What a copy has of a
 * state that is not named again is no more.
 *
 * <ul>
 *   <li>HEADER: int format version, int key group, snapshot of the key serializer
 *   <li>STATE: description of the state that the following entries belong to, as in a savepoint
 *   <li>CHANGES: as STATE; the following entries come to those that the copy has of the state, and
 *       take the place of those with the same key and namespace
 *   <li>ENTRIES: int count, then the entries. Of keyed state: namespace, key, boolean (has a
 *       value), value. Of a queue (timers): the element
 *   <li>REMOVED: int count, then namespace and key of each entry of the copy that is no more
 *   <li>COPIED: long number of all entries of the copy, which ends here
 *   <li>END: long number of all entries, with those of the copy that have stayed
 * </ul>
 */
final class Frames {

    static final int FORMAT = 2;

    static final byte HEADER = 1;
    static final byte STATE = 2;
    static final byte ENTRIES = 3;
    static final byte END = 4;
    static final byte COPIED = 5;
    static final byte CHANGES = 6;
    static final byte REMOVED = 7;

    /** Bytes before the body: length and type. */
    static final int PREFIX = 5;

    private Frames() {}
}
