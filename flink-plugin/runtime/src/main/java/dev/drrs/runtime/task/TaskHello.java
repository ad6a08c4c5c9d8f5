package dev.drrs.runtime.task;

import dev.drrs.runtime.message.OfJob;

/**
 * A task says that it runs and where, so that the coordinator knows that the plug-in is armed there
 * and how the network stack of that TaskManager is reached.
 *
 * @param executionAttemptId as text
 * @param pluginVersion of the TaskManager's plug-in
 * @param taskManagerResourceId as text
 * @param host external address of the TaskManager
 * @param dataPort port its network stack listens at; 0 or less if it listens at none
 */
public record TaskHello(
        String executionAttemptId,
        String pluginVersion,
        String taskManagerResourceId,
        String host,
        int dataPort)
        implements OfJob {}
