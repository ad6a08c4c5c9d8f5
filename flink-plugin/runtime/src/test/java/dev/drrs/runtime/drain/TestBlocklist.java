package dev.drrs.runtime.drain;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blocklist.BlockedNode;
import org.apache.flink.runtime.blocklist.BlocklistContext;
import org.apache.flink.runtime.blocklist.BlocklistHandler;
import org.apache.flink.runtime.blocklist.NoOpBlocklistHandler;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.slf4j.LoggerFactory;

/** A component with a blocklist, which knows some TaskManagers, each on a node of its own. */
public final class TestBlocklist implements BlocklistContext {

    final List<String> blockedNodes = new ArrayList<>();
    int unblocked;
    private final BlocklistHandler handler;

    public TestBlocklist(String... taskManagers) {
        this(new Configuration(), new NoOpBlocklistHandler.Factory(), taskManagers);
    }

    TestBlocklist(
            Configuration configuration, BlocklistHandler.Factory flinks, String... taskManagers) {
        Set<String> known = Set.of(taskManagers);
        handler =
                DrainingBlocklist.around(configuration, flinks)
                        .create(
                                this,
                                id -> {
                                    if (!known.contains(id.getResourceIdString())) {
                                        throw new IllegalStateException("not registered");
                                    }
                                    return "node-of-" + id.getResourceIdString();
                                },
                                directly(),
                                LoggerFactory.getLogger(TestBlocklist.class));
    }

    /** A main thread that is whichever thread calls. */
    private static ComponentMainThreadExecutor directly() {
        return (ComponentMainThreadExecutor)
                Proxy.newProxyInstance(
                        TestBlocklist.class.getClassLoader(),
                        new Class<?>[] {ComponentMainThreadExecutor.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("execute")) {
                                ((Runnable) arguments[0]).run();
                            }
                            return null;
                        });
    }

    BlocklistHandler handler() {
        return handler;
    }

    public boolean blocks(String taskManager) {
        return handler.isBlockedTaskManager(new ResourceID(taskManager));
    }

    @Override
    public void blockResources(Collection<BlockedNode> nodes) {
        nodes.forEach(node -> blockedNodes.add(node.getNodeId()));
    }

    @Override
    public void unblockResources(Collection<BlockedNode> nodes) {
        unblocked++;
    }
}
