package dev.drrs.runtime.job;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobID;

/**
 * The jobs of this JobManager process whose scheduler the plug-in takes part in, elastic or not.
 * Read by REST, main-thread and checkpoint threads; never on a record's path.
 */
public final class ElasticJobs {

    private static final Map<JobID, ElasticJob> JOBS = new ConcurrentHashMap<>();

    private ElasticJobs() {}

    public static void put(ElasticJob job) {
        JOBS.put(job.id(), job);
    }

    /** The job, or null if it has no elastic vertex or no scheduler that the plug-in knows. */
    public static ElasticJob get(JobID id) {
        return JOBS.get(id);
    }

    /**
     * Removes the job unless another scheduler has taken it over meanwhile (a new leadership in the
     * same process).
     */
    public static void remove(ElasticJob job) {
        JOBS.remove(job.id(), job);
    }
}
