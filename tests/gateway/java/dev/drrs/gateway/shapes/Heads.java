package dev.drrs.gateway.shapes;

import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The keyed operators that are rescaled, by name; each with its group of classes. */
final class Heads {

    /**
     * What a head reads.
     *
     * @param all the union of the sources
     * @param each the sources
     * @param uid of the head; also its name
     */
    record Input(String uid, KeyKind kind, DataStream<Event> all, List<DataStream<Event>> each) {

        /** The keyed operator itself, where the main output is that of one chained behind it. */
        <T> SingleOutputStreamOperator<T> named(SingleOutputStreamOperator<T> operator) {
            return operator.uid(uid).name(uid);
        }

        KeyedStream<Event, Object> keyed() {
            return by(all);
        }

        KeyedStream<Event, Object> left() {
            return by(each.get(0));
        }

        KeyedStream<Event, Object> right() {
            return by(each.get(1));
        }

        private KeyedStream<Event, Object> by(DataStream<Event> events) {
            return events.keyBy(kind.ofEvents(), kind.type());
        }
    }

    /** A head, and outputs of it beside the main one. */
    record Output(SingleOutputStreamOperator<Result> main, List<DataStream<Result>> others) {
        static Output of(SingleOutputStreamOperator<Result> main) {
            return new Output(main, List.of());
        }
    }

    private Heads() {}

    /** @return the operator, with the default parallelism */
    static Output of(String head, Input input, Lanes lanes) {
        Output found = find(head, input, lanes);
        if (found.main().getTransformation().getUid() == null) {
            input.named(found.main());
        }
        return found;
    }

    private static Output find(String head, Input input, Lanes lanes) {
        Output found = StateHeads.of(head, input, lanes);
        found = found == null ? TimerHeads.of(head, input, lanes) : found;
        found = found == null ? WindowHeads.of(head, input, lanes) : found;
        found = found == null ? RollingHeads.of(head, input, lanes) : found;
        found = found == null ? TwoInputHeads.of(head, input, lanes) : found;
        found = found == null ? RefusedHeads.of(head, input, lanes) : found;
        if (found == null) {
            throw new IllegalArgumentException("no head " + head);
        }
        return found;
    }
}
