package dev.drrs.runtime.message;

import java.util.List;

/**
 * To a predecessor on a broadcast input: send a barrier to all active subtasks, and open the
 * subpartitions of new ones with the same barrier at the same place.
 *
 * @param dataSetIds those of the task's data sets that are broadcast to the vertex
 * @param fresh subtasks that are about to be activated
 */
public record StopBroadcast(int rescale, List<String> dataSetIds, int[] fresh)
        implements OfRescale {}
