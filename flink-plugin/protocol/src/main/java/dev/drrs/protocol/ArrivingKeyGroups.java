package dev.drrs.protocol;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Key groups of which a new owner has some of the state and not all of it yet, as it comes over one
 * exchange. They belong to their subscale: if that is cancelled they are dropped, and what of them
 * is still on its way is passed over. For one thread.
 *
 * @param <G> what the state is built in
 */
public final class ArrivingKeyGroups<G> {

    private record Key(int subscale, int keyGroup) {}

    private final Map<Key, G> arriving = new HashMap<>();

    /** Their elements have overtaken what is on the way of their state. */
    private final Set<Integer> cancelled = new HashSet<>();

    /**
     * Some state has come.
     *
     * @param begin makes what it is built in, with the first of it
     * @return what it is built in; null if it is not to be built
     */
    public G of(int subscale, int keyGroup, Supplier<G> begin) {
        if (cancelled.contains(subscale)) {
            return null;
        }
        return arriving.computeIfAbsent(new Key(subscale, keyGroup), absent -> begin.get());
    }

    /** All of it is here. */
    public void complete(int subscale, int keyGroup) {
        arriving.remove(new Key(subscale, keyGroup));
    }

    /** {@link PeerElement.Cancelled} has come. */
    public void cancelled(int subscale) {
        cancelled.add(subscale);
        arriving.keySet().removeIf(key -> key.subscale == subscale);
    }

    /** How many there are. */
    public int size() {
        return arriving.size();
    }
}
