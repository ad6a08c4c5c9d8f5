package dev.drrs.runtime.message;

import java.util.List;

/**
 * To a predecessor: the key groups go to the new owner from now on.
 *
 * @param dataSetIds hex ids of its result partitions that lead to the operator
 */
public record Reroute(Move move, List<String> dataSetIds) implements OfSubscale {}
