package dev.drrs.runtime.answer;

import java.util.List;

/**
 * A request that was only to be checked has no fault.
 *
 * @param operators what would become of each of them
 */
public record Valid(boolean valid, List<Operator> operators) implements Answer {

    public Valid {
        operators = List.copyOf(operators);
    }

    /**
     * What the request's strategy makes of a plan.
     *
     * @param keyGroups that would move
     * @param subscales in which they would
     */
    public record Operator(String vertexId, int keyGroups, int subscales) {}
}
