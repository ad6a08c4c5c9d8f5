package dev.drrs.runtime.state;

import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * The keyed state and the timers of one running operator, in the hands of their state backend. For
 * the mailbox thread; what is returned says which thread may use it.
 */
public interface MovableState {

    /** A key that the operator has state or timers of, and the key group they are in. */
    record SampledKey(Object key, int keyGroup) {}

    /** Takes key groups out and in; the same one at each call. */
    KeyedStateMover mover();

    /** The event time of open subscales; the same one at each call. */
    SubscaleTimers timers();

    /** How much the state takes, and how much there is for more of it. */
    StateRoom room();

    /**
     * Keys of different key groups.
     *
     * @param most number of keys
     */
    List<SampledKey> sampleKeys(int most);

    TypeSerializer<?> keySerializer();

    /**
     * Whether a snapshot of the backend is to call {@link SubscaleTimers#beforeSnapshot} and {@link
     * SubscaleTimers#afterSnapshot} from now on. It does not at first, and costs nothing then.
     */
    void timersInSnapshots(boolean included);
}
