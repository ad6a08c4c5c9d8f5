/**
 * Which keyed state backends there are and what each has to offer: {@link
 * dev.drrs.runtime.backend.StateBackendSupport}. Used in tasks, through {@link
 * dev.drrs.runtime.backend.StateSupport}, and at the JobManager, for configurations and handles.
 */
package dev.drrs.runtime.backend;
