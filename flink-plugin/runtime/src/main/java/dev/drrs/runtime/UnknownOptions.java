package dev.drrs.runtime;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;

/** Names that look like options of the plug-in and are none: a typing error is heard of. */
public final class UnknownOptions {

    private static final Set<String> KNOWN =
            OptionsDoc.declared(DrrsOptions.class)
                    .map(field -> OptionsDoc.option(field).key())
                    .collect(Collectors.toUnmodifiableSet());

    private UnknownOptions() {}

    /** A sentence for each; empty if all are known. */
    public static List<String> warnings(Configuration configuration) {
        return new TreeSet<>(configuration.keySet())
                .stream()
                        .filter(key -> key.startsWith("drrs.") && !KNOWN.contains(key))
                        .map(
                                key ->
                                        key
                                                + " is no option of the plug-in and has no effect;"
                                                + " docs/options.md lists those there are.")
                        .toList();
    }
}
