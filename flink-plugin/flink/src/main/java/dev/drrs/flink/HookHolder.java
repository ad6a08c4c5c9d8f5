package dev.drrs.flink;

/**
 * A Flink object that carries one object of the plug-in.
 *
 * <p>The instrumentation adds a field to a few Flink classes and lets them implement this
 * interface, so that the plug-in finds its own object without a map look-up, and so that it goes
 * when Flink's object goes. The field is plain: each holder says which thread owns it.
 */
public interface HookHolder {

    /** What was attached last, or null. */
    Object drrsHook();

    void drrsHook(Object hook);
}
