package dev.drrs.runtime.heap;

/**
 * How a key group looks on the wire: frames, each an int (length of the rest), a type byte and a
 * body. A chunk may begin and end anywhere in a frame. Order: one header, then per state one
 * description and its entries, then one end.
 *
 * <ul>
 *   <li>HEADER: int format version, int key group, snapshot of the key serializer
 *   <li>STATE: description of the state that the following entries belong to, as in a savepoint
 *   <li>ENTRIES: int count, then the entries. Of keyed state: namespace, key, boolean (has a
 *       value), value. Of a queue (timers): the element
 *   <li>END: long number of all entries
 * </ul>
 */
final class Frames {

    static final int FORMAT = 1;

    static final byte HEADER = 1;
    static final byte STATE = 2;
    static final byte ENTRIES = 3;
    static final byte END = 4;

    /** Bytes before the body: length and type. */
    static final int PREFIX = 5;

    private Frames() {}
}
