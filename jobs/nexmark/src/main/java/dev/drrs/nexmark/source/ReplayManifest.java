package dev.drrs.nexmark.source;

import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;

/**
 * The parts of a data set's manifest that the source needs.
 *
 * @param parts how many part files there are
 * @param preloadKeys for how many keys state is to be made before the run
 */
record ReplayManifest(int parts, long preloadKeys) {

    private static final int VERSION = 1;

    /**
     * Reads {@code manifest.json}; {@link IOException} if it is missing, malformed or of another
     * version.
     */
    static ReplayManifest read(Path directory) throws IOException {
        Path path = new Path(directory, "manifest.json");
        byte[] bytes;
        try (FSDataInputStream in = path.getFileSystem().open(path)) {
            bytes = in.readAllBytes();
        }
        try {
            FlatJson json = FlatJson.parse(bytes, bytes.length);
            if (json.number("version") != VERSION) {
                throw new IOException(
                        path
                                + " has version "
                                + json.number("version")
                                + ", this job reads "
                                + VERSION);
            }
            return new ReplayManifest(
                    Math.toIntExact(json.number("parts")),
                    json.has("preload_keys") ? json.number("preload_keys") : 0);
        } catch (IllegalArgumentException e) {
            throw new IOException(path + " is malformed", e);
        }
    }
}
