package dev.drrs.instrumentation;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Tells builds of the plug-in apart that have the same version: a digest of the names and check
 * sums in its jar, so that the same sources give the same one whenever they are built.
 *
 * <p>Taken when the JVM starts; later another jar may lie where this one was loaded from.
 */
final class PluginBuild {

    private static final int DIGITS = 12;
    private static final String UNKNOWN = "unknown";

    private PluginBuild() {}

    /** The build that this class was loaded from; "unknown" if that is no jar. */
    static String own() {
        CodeSource source = PluginBuild.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            return UNKNOWN;
        }
        try {
            File file = new File(source.getLocation().toURI());
            return file.isFile() ? of(file) : UNKNOWN;
        } catch (IOException | URISyntaxException e) {
            System.err.println(
                    "DRRS: the plug-in's own jar cannot be read, its build is unknown: " + e);
            return UNKNOWN;
        }
    }

    static String of(File jar) throws IOException {
        TreeMap<String, Long> sums = new TreeMap<>();
        try (ZipFile zip = new ZipFile(jar)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (!entry.isDirectory() && !entry.getName().startsWith("META-INF/")) {
                    sums.put(entry.getName(), entry.getCrc());
                }
            }
        }
        byte[] digest = sha256().digest(sums.toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest).substring(0, DIGITS);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
