/**
 * Which keyed state backends can be rescaled: the list of them. Used in tasks, through {@link
 * dev.drrs.runtime.supported.StateSupport}, and at the JobManager, for configurations and handles.
 */
package dev.drrs.runtime.supported;
