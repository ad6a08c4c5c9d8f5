package dev.drrs.protocol;

import java.util.Objects;

/**
 * Something wrong with a request.
 *
 * @param code stable, upper case with underscores, for programs
 * @param message one plain sentence with the numbers, for people
 */
public record PlanFault(String code, String message) {

    public PlanFault {
        Objects.requireNonNull(code);
        Objects.requireNonNull(message);
    }
}
