/**
 * An elastic job in its JobMaster: its vertices, what is beside them in the graph, what retired
 * subtasks have left, and what its tasks are told. Knows no rescale; {@link
 * dev.drrs.runtime.job.JobRescales} is told what happens.
 */
package dev.drrs.runtime.job;
