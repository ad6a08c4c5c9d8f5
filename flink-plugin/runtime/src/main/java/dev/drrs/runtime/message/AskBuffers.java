package dev.drrs.runtime.message;

/**
 * To a task on a TaskManager to which new subtasks will come: are as many network buffers free
 * there as they will take?
 */
public record AskBuffers(int rescale, BufferNeed need) implements OfRescale {}
