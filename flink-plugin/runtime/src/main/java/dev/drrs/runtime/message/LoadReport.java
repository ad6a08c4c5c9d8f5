package dev.drrs.runtime.message;

import java.util.List;

/**
 * Answer to {@link ReportLoad}.
 *
 * @param routed records sent by key group, per elastic consumer
 * @param entries state entries by key group, or null if the task is not elastic
 * @param bytes their estimated size by key group, or null
 */
public record LoadReport(long request, List<RoutedRecords> routed, long[] entries, long[] bytes)
        implements OfJob {}
