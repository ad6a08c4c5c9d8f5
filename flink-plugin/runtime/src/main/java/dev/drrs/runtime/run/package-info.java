/**
 * One rescale of one vertex, {@link dev.drrs.runtime.run.RescaleRun}, with its steps and what helps
 * them.
 */
package dev.drrs.runtime.run;
