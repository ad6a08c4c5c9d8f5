package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.Member;
import dev.drrs.instrumentation.WovenPoint;
import java.util.List;

/** What is read and changed of a TaskManager's network buffers; nothing is woven in. */
final class GlobalPool extends WovenPoint {

    GlobalPool() {
        super(
                "global-pool",
                "org.apache.flink.runtime.io.network.buffer.NetworkBufferPool",
                false,
                List.of(),
                List.of(
                        Member.of("factoryLock", "Ljava/lang/Object;"),
                        Member.of("numTotalRequiredBuffers", "I"),
                        Member.of("allBufferPools", "Ljava/util/Set;"),
                        Member.of("resizableBufferPools", "Ljava/util/Set;"),
                        Member.of("redistributeBuffers", "()V")));
    }
}
