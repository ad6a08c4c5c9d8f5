package dev.drrs.runtime.storage;

import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;

/** A cluster with high availability, as far as its storage. */
public final class TestStorage {

    private TestStorage() {}

    public static Configuration in(Path directory) {
        Configuration configuration = new Configuration();
        configuration.set(HighAvailabilityOptions.HA_MODE, "zookeeper");
        configuration.set(HighAvailabilityOptions.HA_STORAGE_PATH, directory.toUri().toString());
        configuration.set(HighAvailabilityOptions.HA_CLUSTER_ID, "one");
        return configuration;
    }
}
