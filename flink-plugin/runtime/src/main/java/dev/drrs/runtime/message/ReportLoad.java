package dev.drrs.runtime.message;

/** To a predecessor or a subtask of an elastic vertex; answered by {@link LoadReport}. */
public record ReportLoad(long request) implements OfJob {}
