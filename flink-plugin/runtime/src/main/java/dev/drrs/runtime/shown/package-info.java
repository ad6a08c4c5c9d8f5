/** The job as Flink shows it: the active subtasks of an elastic vertex only. */
package dev.drrs.runtime.shown;
