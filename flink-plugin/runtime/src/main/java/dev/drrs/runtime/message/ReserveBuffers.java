package dev.drrs.runtime.message;

import java.util.List;
import java.util.Map;

/**
 * To a task around new subtasks, and to owners that will have exchanges: keep the network buffers
 * free that this rescale will take from you, until {@link ReleaseBuffers}.
 *
 * @param subpartitions that will open, by data set
 * @param channels how many to other TaskManagers will open, by input gate
 * @param exchanges what peer exchanges will take
 */
public record ReserveBuffers(
        int rescale,
        Map<String, List<Integer>> subpartitions,
        Map<Integer, Integer> channels,
        BufferNeed exchanges)
        implements OfRescale {}
