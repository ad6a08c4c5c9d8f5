package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.WovenPoint;
import java.util.List;
import net.bytebuddy.description.modifier.FieldPersistence;

/**
 * The description of a result partition tells its TaskManager how many of the subpartitions are
 * open; Flink's has only the number of all of them.
 */
final class OpenSubpartitions extends WovenPoint {

    OpenSubpartitions() {
        super(
                "open-subpartitions",
                "org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor",
                FieldPersistence.PLAIN,
                List.of(),
                List.of());
    }
}
