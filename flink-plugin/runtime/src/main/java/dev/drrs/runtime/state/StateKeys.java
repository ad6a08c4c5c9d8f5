package dev.drrs.runtime.state;

import dev.drrs.runtime.state.MovableState.SampledKey;
import dev.drrs.runtime.unstablekeys.KeyFault;
import dev.drrs.runtime.unstablekeys.UnstableHash;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Looks at some of an operator's real keys: whether a copy, as another process would have it, has
 * the same hash code, and whether each is in the key group it belongs to. For the mailbox thread.
 */
public final class StateKeys {

    private StateKeys() {}

    /**
     * Why keys cannot be moved, or null. Looks at keys of different key groups.
     *
     * @param most number of keys looked at
     */
    public static String fault(MovableState state, int maxParallelism, int most) {
        for (SampledKey sample : state.sampleKeys(most)) {
            String unstable = unstable(sample, serializer(state), maxParallelism);
            if (unstable != null) {
                return KeyFault.of(sample.key().getClass().getName(), unstable) + ".";
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> serializer(MovableState state) {
        return (TypeSerializer<Object>) state.keySerializer();
    }

    private static String unstable(
            SampledKey sample, TypeSerializer<Object> serializer, int maxParallelism) {
        String part = UnstableHash.inValue(sample.key());
        if (part != null) {
            return part;
        }
        Object copy = serializer.copy(sample.key());
        if (copy.hashCode() != sample.key().hashCode()) {
            return "a copy of key "
                    + sample.key()
                    + " has hash code "
                    + copy.hashCode()
                    + " instead of "
                    + sample.key().hashCode();
        }
        int right = KeyGroupRangeAssignment.assignToKeyGroup(sample.key(), maxParallelism);
        return right == sample.keyGroup()
                ? null
                : "state of key "
                        + sample.key()
                        + " is in key group "
                        + sample.keyGroup()
                        + " and belongs to "
                        + right;
    }
}
