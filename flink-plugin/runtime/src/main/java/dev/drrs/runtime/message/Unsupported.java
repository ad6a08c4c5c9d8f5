package dev.drrs.runtime.message;

/**
 * From a subtask of an elastic vertex when it runs: why its state cannot be moved; the vertex is
 * not elastic then.
 */
public record Unsupported(String reason) implements OfJob {}
