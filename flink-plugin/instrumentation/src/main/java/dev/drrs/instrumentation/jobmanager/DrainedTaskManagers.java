package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.drain.DrainingBlocklist;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blocklist.BlocklistHandler;

/**
 * Adds drained TaskManagers to the blocklist that ResourceManager and JobMasters ask before a slot
 * is given out; without it there is none unless speculative execution is on, and a drained
 * TaskManager would be filled again.
 */
final class DrainedTaskManagers extends WovenPoint {

    private static final String BLOCKLIST_CONTEXT =
            "org.apache.flink.runtime.blocklist.BlocklistContext";

    DrainedTaskManagers() {
        super(
                "drained-task-managers",
                "org.apache.flink.runtime.blocklist.BlocklistUtils",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "isBlocklistEnabled",
                                        "(Lorg/apache/flink/configuration/Configuration;)Z"),
                                Enabled.class),
                        new Woven(
                                Member.of(
                                        "loadBlocklistHandlerFactory",
                                        "(Lorg/apache/flink/configuration/Configuration;)Lorg/apache/flink/runtime/blocklist/BlocklistHandler$Factory;"),
                                LoadFactory.class)),
                List.of(
                        Member.of(BLOCKLIST_CONTEXT, "blockResources", "(Ljava/util/Collection;)V"),
                        Member.of(
                                BLOCKLIST_CONTEXT, "unblockResources", "(Ljava/util/Collection;)V"),
                        Member.of(
                                "org.apache.flink.runtime.blocklist.BlocklistHandler",
                                "isBlockedTaskManager",
                                "(Lorg/apache/flink/runtime/clusterframework/types/ResourceID;)Z"),
                        Member.of(
                                "org.apache.flink.runtime.blocklist.BlocklistHandler$Factory",
                                "create",
                                "(Lorg/apache/flink/runtime/blocklist/BlocklistContext;Ljava/util/function/Function;Lorg/apache/flink/runtime/concurrent/ComponentMainThreadExecutor;Lorg/slf4j/Logger;)Lorg/apache/flink/runtime/blocklist/BlocklistHandler;"),
                        Member.of(
                                "org.apache.flink.runtime.resourcemanager.ResourceManager",
                                "blocklistHandler",
                                "Lorg/apache/flink/runtime/blocklist/BlocklistHandler;"),
                        Member.of(
                                "org.apache.flink.runtime.jobmaster.JobMaster",
                                "blocklistHandler",
                                "Lorg/apache/flink/runtime/blocklist/BlocklistHandler;")));
    }

    /** Slot pools ask the blocklist. */
    public static final class Enabled {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false) boolean enabled) {
            enabled = DrainingBlocklist.isEnabled();
        }
    }

    /** The blocklist knows of drains. */
    public static final class LoadFactory {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) Configuration configuration,
                @Advice.Return(readOnly = false) BlocklistHandler.Factory factory) {
            factory = DrainingBlocklist.around(configuration, factory);
        }
    }
}
