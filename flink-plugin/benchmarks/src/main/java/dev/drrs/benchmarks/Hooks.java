package dev.drrs.benchmarks;

/** Values of the benchmarks' parameter {@code hooks}. */
final class Hooks {

    static final String NONE = "none";
    static final String ELASTIC = "elastic";

    private Hooks() {}
}
