package dev.drrs.runtime.message;

import java.util.Map;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;

/**
 * The answer to {@link CopyBroadcastState}.
 *
 * @param states by operator, hex of its id; whoever gets them has to discard them
 * @param fault why there is no copy, or null
 */
public record BroadcastStateCopied(
        int rescale, Map<String, OperatorStreamStateHandle> states, String fault)
        implements OfRescale {}
