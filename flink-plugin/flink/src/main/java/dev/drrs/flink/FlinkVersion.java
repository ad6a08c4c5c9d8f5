package dev.drrs.flink;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The Flink this plug-in was built for, and the one that is there. Loads no class of Flink. */
public final class FlinkVersion {

    /** Written by Flink's build into the jar that has its runtime. */
    private static final String OF_RUNTIME = ".flink-runtime.version.properties";

    private static final String OF_BUILD = "dev/drrs/flink/built-for.properties";

    private FlinkVersion() {}

    /** As the build says; there is no other place that does. */
    public static String builtFor() {
        String version = read(FlinkVersion.class.getClassLoader(), OF_BUILD, "flink.version");
        if (version == null) {
            throw new IllegalStateException("the plug-in's jar is not whole: no " + OF_BUILD);
        }
        return version;
    }

    /**
     * The version of the runtime that this loader finds first.
     *
     * @return null if it does not tell
     */
    public static String found(ClassLoader loader) {
        return read(loader, OF_RUNTIME, "project.version");
    }

    private static String read(ClassLoader loader, String resource, String key) {
        try (InputStream in = loader.getResourceAsStream(resource)) {
            if (in == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty(key);
        } catch (IOException e) {
            return null; // as good as not there
        }
    }
}
