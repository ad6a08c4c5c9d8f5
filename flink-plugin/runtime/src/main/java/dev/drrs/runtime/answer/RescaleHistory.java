package dev.drrs.runtime.answer;

import java.util.List;

/** Rescales of a job, newest first. */
public record RescaleHistory(List<RescaleStatus> rescales) implements Answer {}
