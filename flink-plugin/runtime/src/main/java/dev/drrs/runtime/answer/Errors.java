package dev.drrs.runtime.answer;

import java.util.List;

/** All that is wrong with a request. */
public record Errors(List<Entry> errors) implements Answer {

    /**
     * @param code stable, for programs
     * @param message one plain sentence with the numbers and what to do
     */
    public record Entry(String code, String message) {}
}
