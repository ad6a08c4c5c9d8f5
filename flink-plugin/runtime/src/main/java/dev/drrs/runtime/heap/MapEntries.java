package dev.drrs.runtime.heap;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMapSnapshot;
import org.apache.flink.runtime.state.heap.DrrsHeapStateAccess;
import org.apache.flink.runtime.state.heap.StateMap;

/** Entries of snapshots, and what they and their maps differ in. */
final class MapEntries {

    private MapEntries() {}

    /** All of a snapshot, as it was. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // no serializer is used without a transformer
    static Iterator<StateEntry<?, ?, ?>> of(CopyOnWriteStateMapSnapshot<?, ?, ?> snapshot) {
        return ((CopyOnWriteStateMapSnapshot) snapshot).getIterator(null, null, null, null);
    }

    /** Entries of the map that are not, or not as they are, in a snapshot of it. */
    static List<StateEntry<?, ?, ?>> touched(
            StateMap<?, ?, ?> map, CopyOnWriteStateMapSnapshot<?, ?, ?> snapshot) {
        List<StateEntry<?, ?, ?>> touched = new ArrayList<>();
        for (StateEntry<?, ?, ?> entry : map) {
            if (DrrsHeapStateAccess.isTouchedSince(snapshot, entry)) {
                touched.add(entry);
            }
        }
        return touched;
    }

    /**
     * Entries of the snapshot whose key and namespace the map does not have. Looking a key up may
     * go on with a rehash of the map, which leaves the snapshot as it is for as long as that is not
     * released.
     */
    @SuppressWarnings("unchecked")
    static List<StateEntry<?, ?, ?>> removed(
            StateMap<?, ?, ?> map, CopyOnWriteStateMapSnapshot<?, ?, ?> snapshot) {
        StateMap<Object, Object, Object> now = (StateMap<Object, Object, Object>) map;
        List<StateEntry<?, ?, ?>> removed = new ArrayList<>();
        for (Iterator<StateEntry<?, ?, ?>> all = of(snapshot); all.hasNext(); ) {
            StateEntry<?, ?, ?> entry = all.next();
            if (!now.containsKey(entry.getKey(), entry.getNamespace())) {
                removed.add(entry);
            }
        }
        return removed;
    }
}
