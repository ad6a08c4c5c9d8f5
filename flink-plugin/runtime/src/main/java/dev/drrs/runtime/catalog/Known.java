package dev.drrs.runtime.catalog;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What is known about one kind of operator: a row of the catalogue.
 *
 * @param written how a job gets it
 * @param operator name of the operator's class; or of its factory's, for one that is made of
 *     generated code; or of a package, with {@code .*} behind it
 * @param parts names of the classes one of which a field of the operator has to have, its function
 *     or window assigner, for the row to be about it; empty: any
 * @param holds what it holds outside keyed state
 * @param flush what makes it give that away
 * @param time whose clock it goes by
 * @param fault why it is refused, to be read after the name of its class and "which"; null if it is
 *     not
 * @param remedy what to do about that; null: nothing in particular
 * @param proof the tests that show that it is right; null if it is refused
 */
record Known(
        String written,
        String operator,
        List<String> parts,
        Set<Role> roles,
        String holds,
        String flush,
        String time,
        String fault,
        String remedy,
        String proof) {

    static final String NOTHING = "nothing";
    static final String NO_FLUSH = "-";
    static final String TIMERS = "timer service";
    static final String NONE = "none";

    /** One that may be there. */
    static Known works(String written, String operator, String proof, Role... roles) {
        return plain(written, operator, null, null, proof, roles);
    }

    /** One that may not be there. */
    static Known refused(
            String written, String operator, String fault, String remedy, Role... roles) {
        return plain(written, operator, fault, remedy, null, roles);
    }

    /** Whatever parts it has, it holds nothing and has no clock. */
    private static Known plain(
            String written,
            String operator,
            String fault,
            String remedy,
            String proof,
            Role... roles) {
        return new Known(
                written,
                operator,
                List.of(),
                Set.of(roles),
                NOTHING,
                NO_FLUSH,
                NONE,
                fault,
                remedy,
                proof);
    }

    /** The same, for an operator with one of these parts only. */
    Known with(String... parts) {
        return new Known(
                written, operator, List.of(parts), roles, holds, flush, time, fault, remedy, proof);
    }

    /** The same, holding something. */
    Known holding(String what, String flushedBy) {
        return new Known(
                written, operator, parts, roles, what, flushedBy, time, fault, remedy, proof);
    }

    /** The same, with this clock. */
    Known clock(String whose) {
        return new Known(
                written, operator, parts, roles, holds, flush, whose, fault, remedy, proof);
    }

    boolean isRefused() {
        return fault != null;
    }

    boolean isPackage() {
        return operator.endsWith(".*");
    }

    /** Whether it is about operators (or factories) of this class in this place, whatever parts. */
    boolean isAbout(String className, Role role) {
        return roles.contains(role)
                && (isPackage()
                        ? className.startsWith(operator.substring(0, operator.length() - 1))
                        : className.equals(operator));
    }

    static String simple(String className) {
        return Arrays.stream(className.split("[.$]")).reduce((first, last) -> last).orElseThrow();
    }
}
