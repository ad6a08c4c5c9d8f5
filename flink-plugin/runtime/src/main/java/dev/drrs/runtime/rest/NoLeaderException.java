package dev.drrs.runtime.rest;

/** A component of the cluster has no leader at the moment, or none that is known here yet. */
final class NoLeaderException extends Exception {

    NoLeaderException(String component) {
        super("the " + component + " has no leader yet");
    }
}
