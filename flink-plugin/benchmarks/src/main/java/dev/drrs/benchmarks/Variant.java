package dev.drrs.benchmarks;

/** In which JVM, and with which hooks, a benchmark runs. */
enum Variant {
    /** Without the agent. */
    STOCK(false, Hooks.NONE),
    /** With the agent, the job is not elastic: no hook is attached. */
    WOVEN(true, Hooks.NONE),
    /** With the agent, in an elastic job with dormant subtasks and no rescale under way. */
    ELASTIC(true, Hooks.ELASTIC);

    final boolean agent;
    final String hooks;

    Variant(boolean agent, String hooks) {
        this.agent = agent;
        this.hooks = hooks;
    }
}
