package dev.drrs.runtime.catalog;

/** Where an operator stands. */
enum Role {
    /** At the head of the task: keyed. */
    HEAD("keyed"),

    /** Chained behind it, or in a task that follows it over a FORWARD edge. */
    BEHIND("behind");

    private final String word;

    Role(String word) {
        this.word = word;
    }

    /** As the page has it. */
    String word() {
        return word;
    }
}
