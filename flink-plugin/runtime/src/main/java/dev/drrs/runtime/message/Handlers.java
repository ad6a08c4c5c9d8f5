package dev.drrs.runtime.message;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Who handles which message: one handler for each class of messages. Filled when its owner is made,
 * and used in the thread that the messages come in; not thread safe.
 *
 * @param <C> where a message comes from, as far as handlers want to know
 * @param <X> what handlers throw
 */
public final class Handlers<C, X extends Exception> {

    /** What is done with messages of one class. */
    public interface Handler<C, M, X extends Exception> {
        void handle(C context, M message) throws X;
    }

    private final Function<? super C, String> origin;
    private final Map<Class<?>, Handler<C, Object, X>> byClass = new HashMap<>();

    /**
     * @param origin where a message came from, for the sentence that nobody expects it, as "from
     *     the coordinator"
     */
    public Handlers(Function<? super C, String> origin) {
        this.origin = origin;
    }

    /**
     * @throws IllegalStateException if messages of the class have a handler
     */
    public <M> Handlers<C, X> on(
            Class<M> kind, Handler<? super C, ? super M, ? extends X> handler) {
        if (byClass.putIfAbsent(kind, (from, some) -> handler.handle(from, kind.cast(some)))
                != null) {
            throw new IllegalStateException("two handlers of " + kind.getSimpleName());
        }
        return this;
    }

    /**
     * @throws IllegalStateException if nobody handles messages of its class
     */
    public void handle(C context, Object message) throws X {
        Handler<C, Object, X> handler = byClass.get(message.getClass());
        if (handler == null) {
            throw new IllegalStateException(
                    "unexpected event " + origin.apply(context) + ": " + message);
        }
        handler.handle(context, message);
    }
}
