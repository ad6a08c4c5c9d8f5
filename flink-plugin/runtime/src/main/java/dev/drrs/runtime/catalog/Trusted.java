package dev.drrs.runtime.catalog;

import java.util.Arrays;
import java.util.List;

/**
 * The classes that a job vouches for ({@code drrs.operators.trusted}): names, or a package with
 * {@code .*} behind it, which is for those below it too.
 */
final class Trusted {

    private final List<String> entries;

    /**
     * @param list separated by semicolons; null for none
     */
    Trusted(String list) {
        this.entries =
                Arrays.stream(list == null ? new String[0] : list.split(";"))
                        .map(String::trim)
                        .filter(entry -> !entry.isEmpty())
                        .toList();
    }

    boolean has(Class<?> type) {
        return entries.stream()
                .anyMatch(
                        entry ->
                                entry.endsWith(".*")
                                        ? type.getName()
                                                .startsWith(entry.substring(0, entry.length() - 1))
                                        : type.getName().equals(entry));
    }
}
