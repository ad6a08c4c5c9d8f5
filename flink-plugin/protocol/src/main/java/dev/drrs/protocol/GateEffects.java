package dev.drrs.protocol;

/**
 * What a {@link SubtaskGate} makes its host do. Called on the task's thread, within a call of the
 * gate; none of these may call the gate back (but for {@link SubtaskGate#busy}). An exception
 * leaves the gate unusable and has to fail the task.
 *
 * @param <E> a record of the host
 */
public interface GateEffects<E> {

    /**
     * Process a record.
     *
     * @param clock milliseconds; the event time the record is judged by and timers see
     * @param subscale the open subscale its key group belongs to, or -1
     */
    void process(E element, int channel, int keyGroup, long clock, int subscale);

    /**
     * Event time of one input over its channels. The host hands it to the operator as stock Flink
     * does: the operator combines it with that of its other inputs, fires the timers of the key
     * groups that are in no open incoming subscale and forwards it.
     *
     * @param clock milliseconds; always higher than before
     * @param forwards whether that goes downstream. If not, a subscale is open or awaited: what the
     *     operator forwards has to be kept back, {@link #emitWatermark} tells what goes out.
     */
    void inputWatermark(int input, long clock, boolean forwards);

    /**
     * As {@link #inputWatermark}, for the status of one input; if not forwarded, {@link
     * #emitStatus} tells what goes out. Only changes.
     */
    void inputStatus(int input, boolean idle, boolean forwards);

    /**
     * The subscale's clock has advanced: fire the timers of its installed key groups up to {@code
     * clock}.
     */
    void fire(int subscale, long clock);

    /**
     * Event time went on while the state of the key group's bin was on its way: fire its timers up
     * to {@code clock}, and those of no other bin or key group.
     */
    void fireInstalled(int subscale, int keyGroup, Bin bin, long clock);

    /** Send a watermark downstream, past the operator. Always higher than the ones before. */
    void emitWatermark(long timestamp);

    /** Send a status downstream, past the operator. Only changes. */
    void emitStatus(boolean idle);

    /**
     * Old owner: empty the buffers of all operators of the chain as before a snapshot, then say, in
     * order on all outputs, that no result of the subscale's key groups follows (rule R6). {@link
     * #detach} follows.
     */
    void endResults(Subscale subscale);

    /**
     * New owner: say, in order on all outputs, that results of the subscale's key groups follow
     * (rule R6). Before anything of them is processed or fires.
     */
    void beginResults(Subscale subscale);

    /**
     * Old owner, before {@link #detach}, if large key groups come in bins: about how many bytes
     * each one's state is, in the order of the subscale.
     */
    long[] sizes(Subscale subscale);

    /** Old owner: take state and timers of the key groups out and keep them ready to be pulled. */
    void detach(Subscale subscale);

    /**
     * Old owner, after {@link #detach}, if timers ask for their part: when the first timer of each
     * is due. For each key group of the subscale in its order and each bin of it two numbers in
     * milliseconds, of event time and of processing time; {@link Long#MAX_VALUE} for none, one less
     * for a timer that is set to that.
     */
    long[] firstTimers(Subscale subscale, int bins);

    /**
     * New owner: {@link SubtaskGate#timersDue} as soon as processing time has come there, unless
     * the task has ended.
     *
     * @param timestamp epoch milliseconds
     */
    void tellAt(Subscale subscale, long timestamp);

    /**
     * Old owner, if copies go ahead: about how many bytes one of the key groups' state is.
     *
     * @return 0 if there is nothing to copy, or nothing that could be
     */
    long copySize(Subscale subscale);

    /**
     * Old owner: begin to send the key groups' state as it is now. They go on being processed here;
     * after {@link #detach} what has changed since is to be sent, and with it what the new owner
     * has, it has all. {@link SubtaskGate#copied} answers, later.
     */
    void copyAhead(Subscale subscale);

    /** Old owner: the copy is not wanted any more; {@link SubtaskGate#copied} answers, later. */
    void stopCopying(Subscale subscale);

    /**
     * Old owner: the subscale ends without a detach, so nobody asks any more what has changed since
     * its copy. The new owner drops what it has of it when it is told of that.
     */
    void dropCopy(Subscale subscale);

    /** Old owner: put an element on the exchange to the new owner. Taken even without room. */
    void sendPeer(Subscale subscale, PeerElement<E> element);

    /**
     * Old owner: whether the exchange has room for an element. If not, {@link
     * SubtaskGate#peerRoomAgain} has to be called once it has.
     */
    boolean peerHasRoom(Subscale subscale);

    /** Old owner: {@link SubtaskGate#rerouteTimeout} after this time, unless the task has ended. */
    void rerouteLater(Subscale subscale, long millis);

    /** New owner: ask the old owner for the state; {@link SubtaskGate#installed} answers. */
    void pull(Subscale subscale, int keyGroup, Bin bin);

    /** New owner, if key groups may come in bins: the second hash of the record's key. */
    int hash(E element, int channel);

    /**
     * New owner, if key groups come in bins: the one that keys of this hash are in.
     *
     * @return from 0 to {@code bins} - 1
     */
    int bin(int hash, int bins);

    /**
     * New owner: whether one more of the elements that had to wait and need not any more is to be
     * taken within the present call of the gate. If not, it is by {@link SubtaskGate#takeReleased},
     * which is to be called again and again as long as {@link SubtaskGate#hasReleased}; what has
     * come on the channels meanwhile may go before that.
     */
    boolean takesMore();

    /**
     * New owner: send an align event, in order, on all outputs; {@link SubtaskGate#aligned}
     * answers.
     *
     * @return whether there is a consumer, so that an answer comes
     */
    boolean align(Subscale subscale);

    /** Stop reading the channel. Elements of the buffer at hand may still come. */
    void hold(int channel);

    /** Read the channel again. */
    void resume(int channel);

    /** New owner: the subscale's timers belong to the main clock from here on. */
    void joined(Subscale subscale);

    /** To the coordinator, in order. */
    void report(GateReport report);
}
