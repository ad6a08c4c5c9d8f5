package dev.drrs.benchmarks;

/**
 * What one JVM measured.
 *
 * @param nanos per operation
 * @param bytes allocated per operation
 */
record Score(double nanos, double bytes) {}
