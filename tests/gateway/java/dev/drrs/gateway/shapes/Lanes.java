package dev.drrs.gateway.shapes;

import java.io.Serializable;

/**
 * Makes the results of one branch, see {@link Result}.
 *
 * @param ordered whether the order of a key's events is determined
 */
record Lanes(String job, int branch, boolean ordered) implements Serializable {

    /** The result of one event, the {@code number}th of its key. */
    Result ofEvent(String name, Event event, long number, Object detail) {
        Gates.of(job).see(branch + name, event.id);
        return ordered
                ? new Result("s." + branch + "." + name, event.key, number, event.id + ":" + detail)
                : new Result("n." + branch + "." + name, event.key, number, Long.toString(event.id));
    }

    Result sequence(String name, long key, long number, Object text) {
        return new Result("s." + branch + "." + name, key, number, text.toString());
    }

    Result numbered(String name, long key, long number, Object text) {
        return new Result("n." + branch + "." + name, key, number, text.toString());
    }

    Result rising(String name, long key, long number) {
        return new Result("r." + branch + "." + name, key, number, "");
    }

    Result upwards(String name, long key, long number) {
        return new Result("u." + branch + "." + name, key, number, "");
    }

    Result gapless(String name, long key, long number) {
        return new Result("g." + branch + "." + name, key, number, "");
    }

    Result any(String name, long key, long number, Object text) {
        return new Result("m." + branch + "." + name, key, number, text.toString());
    }
}
