package dev.drrs.runtime.backend;

import java.util.List;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * How the handles that one kind of backend leaves in a checkpoint go by key groups. What of a
 * handle falls into a range is Flink's own {@link KeyedStateHandle#getIntersection}. Functions of
 * their arguments, for any thread; used at the JobManager.
 */
public interface KeyedHandles {

    /**
     * Whether an intersection of this handle with any range reads as the key groups of the range
     * and no others, so that metadata may list the handle by ranges. False of any handle of another
     * kind.
     */
    boolean isDivisible(KeyedStateHandle handle);

    /**
     * What one subtask is to be given, in as few handles as its backend reads best. Handles of
     * another kind stay as they are, where they are.
     *
     * @param handles intersections, by ascending key group; those of one range are next to each
     *     other
     */
    List<KeyedStateHandle> join(List<KeyedStateHandle> handles);
}
