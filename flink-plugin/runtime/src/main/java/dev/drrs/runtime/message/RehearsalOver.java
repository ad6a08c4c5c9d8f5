package dev.drrs.runtime.message;

/** The answer to {@link AwaitRehearsal}. */
public record RehearsalOver(int rescale) implements OfRescale {}
