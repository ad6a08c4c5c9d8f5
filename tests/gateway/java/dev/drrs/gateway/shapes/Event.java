package dev.drrs.gateway.shapes;

/** A record of the input: a POJO. */
public class Event {
    /** Of all events of the job. */
    public long id;

    public int source;
    public long key;

    /** Milliseconds. */
    public long ts;

    public long value;

    /** One, or how many events are in this one. */
    public long count = 1;

    /** Whether its split is silent from here on for a while. */
    public boolean last;

    public Event() {}

    Event(long id, int source, long key, long ts, long value, boolean last) {
        this.id = id;
        this.source = source;
        this.key = key;
        this.ts = ts;
        this.value = value;
        this.last = last;
    }

    /** This event and those before it, as a new object: Flink may use the old one again. */
    Event after(Event before) {
        Event sum = new Event(id, source, key, ts, value + before.value, last);
        sum.count = before.count + count;
        return sum;
    }

    @Override
    public String toString() {
        return id + ":" + value;
    }
}
