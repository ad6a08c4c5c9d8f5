package dev.drrs.nexmark.source;

import java.util.List;

/**
 * What the enumerator keeps over a restore.
 *
 * @param splits how many splits the run has
 * @param unassigned the splits that no reader holds
 * @param epochMs wall clock of schedule offset 0, or {@link NexmarkSplit#NO_EPOCH}
 */
public record EnumeratorState(int splits, List<NexmarkSplit> unassigned, long epochMs) {}
