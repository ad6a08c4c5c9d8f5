package dev.drrs.runtime.answer;

/** A request that goes on in the background, under this id. */
public record Accepted(String requestId) implements Answer {}
