package dev.drrs.runtime.drain;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.configuration.BatchExecutionOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blocklist.BlockedNode;
import org.apache.flink.runtime.blocklist.BlocklistContext;
import org.apache.flink.runtime.blocklist.BlocklistHandler;
import org.apache.flink.runtime.blocklist.BlocklistListener;
import org.apache.flink.runtime.blocklist.NoOpBlocklistHandler;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;

/**
 * Flink's blocklist of a ResourceManager or JobMaster, to which the drained TaskManagers are added.
 * Flink blocks nodes; a drain is of one TaskManager, others on its node stay in use.
 *
 * <p>What Flink calls runs in that component's main thread; {@link #drained} and {@link #undrained}
 * may be called by any thread.
 */
public final class DrainingBlocklist implements BlocklistHandler {

    private final BlocklistHandler flinks;
    private final BlocklistContext context;
    private final Function<ResourceID, String> nodeOf;
    private final ComponentMainThreadExecutor mainThread;

    private DrainingBlocklist(
            BlocklistHandler flinks,
            BlocklistContext context,
            Function<ResourceID, String> nodeOf,
            ComponentMainThreadExecutor mainThread) {
        this.flinks = flinks;
        this.context = context;
        this.nodeOf = nodeOf;
        this.mainThread = mainThread;
    }

    /** A slot pool that asks the blocklist is always needed: a drain may come at any time. */
    public static boolean isEnabled() {
        return true;
    }

    /**
     * Factory of blocklists that know of drains.
     *
     * @param flinks what Flink made because of {@link #isEnabled}
     */
    public static Factory around(Configuration configuration, Factory flinks) {
        Factory inner =
                configuration.get(BatchExecutionOptions.SPECULATIVE_ENABLED)
                        ? flinks
                        : new NoOpBlocklistHandler.Factory();
        return (context, nodeOf, mainThread, log) -> {
            DrainingBlocklist blocklist =
                    new DrainingBlocklist(
                            inner.create(context, nodeOf, mainThread, log),
                            context,
                            nodeOf,
                            mainThread);
            Drains.register(blocklist, configuration);
            return blocklist;
        };
    }

    @Override
    public boolean isBlockedTaskManager(ResourceID taskManager) {
        return Drains.isDrained(taskManager) || flinks.isBlockedTaskManager(taskManager);
    }

    @Override
    public void addNewBlockedNodes(Collection<BlockedNode> nodes) {
        flinks.addNewBlockedNodes(nodes);
    }

    @Override
    public Set<String> getAllBlockedNodeIds() {
        return flinks.getAllBlockedNodeIds();
    }

    @Override
    public void registerBlocklistListener(BlocklistListener listener) {
        flinks.registerBlocklistListener(listener);
    }

    @Override
    public void deregisterBlocklistListener(BlocklistListener listener) {
        flinks.deregisterBlocklistListener(listener);
    }

    /**
     * Gives back the slots that this component holds there and does not use. Flink does so by node:
     * unused slots of others on the node go back with them, and come again when they are needed.
     */
    void drained(ResourceID taskManager) {
        mainThread.execute(
                () -> {
                    String node;
                    try {
                        node = nodeOf.apply(taskManager);
                    } catch (IllegalStateException e) {
                        return; // not registered here, so nothing of it is held here
                    }
                    context.blockResources(
                            List.of(new BlockedNode(node, "drained", Long.MAX_VALUE)));
                });
    }

    /** Jobs that wait for slots may get them now. */
    void undrained() {
        mainThread.execute(() -> context.unblockResources(List.of()));
    }
}
