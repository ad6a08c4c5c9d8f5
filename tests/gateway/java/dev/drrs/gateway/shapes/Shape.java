package dev.drrs.gateway.shapes;

import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What a test has drawn: a job as {@code shapes/shape.py} of the harness describes it.
 *
 * @param name of this run of it; gates and results go by it
 * @param output directory of sinks that write files
 * @param meeting whether all branches end in one keyed operator that reads the union of their results
 * @param slow microseconds that a sink takes for a result until the job is released
 */
public record Shape(
        String name,
        String output,
        long seed,
        List<Origin> sources,
        Time time,
        Keys keys,
        int maximum,
        int parallelism,
        boolean reuse,
        long timeout,
        Checkpoints checkpoints,
        List<Branch> branches,
        boolean meeting,
        long slow,
        Map<String, Integer> parallelisms) {

    private static final ObjectMapper JSON =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    static Shape of(String json) {
        try {
            return JSON.readValue(json, Shape.class);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether stock Flink determines in which order a head reads the records of one key of one input. */
    boolean ordered(String head) {
        return !keys.shared() && (sources.size() == 1 || keys.apart() || TwoInputHeads.NAMES.contains(head));
    }

    /** How many keys each split has for itself, or all of them share. */
    int splits() {
        return sources.stream().mapToInt(Origin::splits).sum();
    }

    /** The parallelism that a head begins with; one that was restored may have another one than the shape's. */
    int parallelismOf(String head) {
        return parallelisms.getOrDefault(head, parallelism);
    }

    /**
     * A source of {@code splits} splits read by {@code readers} subtasks; each split has {@code events} events, at first {@code rate} a
     * second.
     *
     * @param lag milliseconds that its event time is behind
     * @param brief whether it ends by itself, after a third of the others' events
     * @param idle whether its last split is silent from a third on until the job is released
     */
    record Origin(int splits, int readers, int events, int rate, long lag, boolean brief, boolean idle) {}

    /**
     * @param marks {@code none}, {@code periodic} or {@code punctuated}
     * @param bound milliseconds that an event is at most out of order
     * @param late whether a few are later than that
     */
    record Time(String marks, long bound, boolean late) implements Serializable {}

    /**
     * @param type {@code long}, {@code integer}, {@code string}, {@code tuple}, {@code pojo} or {@code record}
     * @param hot percentage of events of the first key
     * @param together whether all keys are in one key group
     * @param shared whether a key comes from all splits of a source, and not from one
     * @param apart whether no key comes from two sources
     */
    record Keys(String type, int count, int hot, boolean together, boolean shared, boolean apart)
            implements Serializable {}

    /** @param interval milliseconds; 0: there are none */
    record Checkpoints(long interval, boolean once, boolean unaligned, int concurrent) {}

    /**
     * @param head the keyed operator to be rescaled, see {@link Heads}
     * @param second one behind it, by key again, see {@link SecondHeads}; or none
     * @param chained what follows in its chain, see {@link ChainedOperators}
     * @param follower what stands between it and the sink, see {@link Followers}
     * @param sink see {@link Sinks}
     * @param writers parallelism of the sink behind a rebalance; 0: it is chained
     */
    record Branch(String head, String second, List<String> chained, String follower, String sink, int writers) {
        /** Whether the results of a key are in an order behind the chain. */
        boolean ordered() {
            return !chained.contains("async-unordered");
        }
    }
}
