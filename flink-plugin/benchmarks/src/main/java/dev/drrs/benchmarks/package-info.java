/**
 * What the plug-in costs while nothing is rescaled: the record path of stock Flink against the same
 * path with the advice woven in, in paired JVMs ({@link dev.drrs.benchmarks.PairedRun}). A stock
 * JVM has no class of the plug-in: only what runs with hooks attached may touch one.
 */
package dev.drrs.benchmarks;
