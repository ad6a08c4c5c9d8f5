package dev.drrs.instrumentation;

import dev.drrs.runtime.AgentState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Flink's class files as they were when the plug-in was built, and what weaving made of them: where
 * they are the same, nothing has to be parsed, and Byte Buddy is not even loaded.
 *
 * <p>The index lists every class file that the pre-flight check or weaving reads, by length and
 * CRC-32. That tells builds of Flink apart; it is no protection against who wants to deceive it.
 * Written by {@link WeaveAtBuild}. Any thread.
 */
final class KnownFlink {

    /**
     * The one folder of the jar that has all of it. Woven class files are not called ".class", so
     * that no tool takes them for classes of ours.
     */
    private static final String FOLDER = "woven/";

    private static final String INDEX = FOLDER + "index";
    private static final String POINT = "point";
    private static final String FILE = "file";

    private record Print(int length, long crc) {

        static Print of(byte[] file) {
            CRC32 crc = new CRC32();
            crc.update(file);
            return new Print(file.length, crc.getValue());
        }

        /** Not by {@code equals}: that of a record is made at its first call, in 30 ms. */
        boolean is(Print other) {
            return length == other.length && crc == other.crc;
        }
    }

    private final List<AgentState.Point> points = new ArrayList<>();
    private final Map<String, Print> files = new HashMap<>();

    private KnownFlink() {}

    /** What was written at build time; knows nothing if there is no index. */
    static KnownFlink ofBuild() throws IOException {
        KnownFlink known = new KnownFlink();
        byte[] index = resource(INDEX);
        if (index != null) {
            for (String line : new String(index, StandardCharsets.UTF_8).split("\n")) {
                known.read(line.split(" "));
            }
        }
        return known;
    }

    private void read(String[] line) {
        if (line[0].equals(POINT)) {
            points.add(new AgentState.Point(line[1], line[2], true, null));
        } else {
            files.put(line[1], new Print(Integer.parseInt(line[2]), Long.parseLong(line[3], 16)));
        }
    }

    /** The index as text: all join points, and the class files by binary name. */
    static String index(List<JoinPoint> points, Map<String, byte[]> files) {
        StringBuilder index = new StringBuilder();
        for (JoinPoint point : points) {
            index.append(POINT + " " + point.name() + " " + point.type() + "\n");
        }
        files.forEach(
                (type, file) -> {
                    Print print = Print.of(file);
                    String crc = Long.toHexString(print.crc);
                    index.append(FILE + " " + type + " " + print.length + " " + crc + "\n");
                });
        return index.toString();
    }

    /** Path of the index, and of a woven class file, below the folder of this package. */
    static String indexFile() {
        return INDEX;
    }

    static String wovenFile(String type) {
        return FOLDER + type;
    }

    /** The join points, all of them sound. */
    List<AgentState.Point> points() {
        return points;
    }

    /**
     * What is not as it was at build time among all that this loader finds, as a binary class name;
     * null if all of it is the same.
     */
    String difference(ClassLoader loader) throws IOException {
        if (files.isEmpty()) {
            return "all of it";
        }
        for (String type : files.keySet()) {
            try (InputStream in = loader.getResourceAsStream(type.replace('.', '/') + ".class")) {
                if (in == null || !has(type, in.readAllBytes())) {
                    return type;
                }
            }
        }
        return null;
    }

    /** Whether this is the class file of that class, as it was at build time. */
    boolean has(String type, byte[] file) {
        Print known = files.get(type);
        return known != null && known.is(Print.of(file));
    }

    /**
     * The class as it was woven at build time.
     *
     * @return null if that was not done
     */
    static byte[] woven(String type) throws IOException {
        return resource(wovenFile(type));
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = KnownFlink.class.getResourceAsStream(name)) {
            return in == null ? null : in.readAllBytes();
        }
    }
}
