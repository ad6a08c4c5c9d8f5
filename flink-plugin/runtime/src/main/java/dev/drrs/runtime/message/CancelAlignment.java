package dev.drrs.runtime.message;

/**
 * To an owner or a consumer: this checkpoint and those before it will not complete; their barriers
 * stop no channel any more.
 */
public record CancelAlignment(long checkpoint) implements OfJob {}
