/** What the advice in the JobManager calls. */
package dev.drrs.runtime.jobmanager;
