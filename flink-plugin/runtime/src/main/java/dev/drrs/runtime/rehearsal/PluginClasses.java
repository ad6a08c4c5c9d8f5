package dev.drrs.runtime.rehearsal;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Loads, verifies and initializes all classes of the plug-in that a task or the coordinator may
 * need, also those of rare cases that nothing else rehearses.
 */
public final class PluginClasses implements RehearsalPart {

    private static final List<String> OF_TASKS =
            List.of(
                    "dev/drrs/flink/",
                    "dev/drrs/protocol/",
                    "dev/drrs/runtime/backend/",
                    "dev/drrs/runtime/functions/",
                    "dev/drrs/runtime/heap/",
                    "dev/drrs/runtime/message/",
                    "dev/drrs/runtime/peer/",
                    "dev/drrs/runtime/role/",
                    "dev/drrs/runtime/state/",
                    "dev/drrs/runtime/supported/",
                    "dev/drrs/runtime/task/",
                    "dev/drrs/runtime/unstablekeys/",
                    "org/apache/flink/runtime/io/network/",
                    "org/apache/flink/runtime/state/heap/");

    private static final List<String> OF_COORDINATOR =
            List.of(
                    "dev/drrs/protocol/",
                    "dev/drrs/runtime/answer/",
                    "dev/drrs/runtime/checkpoint/",
                    "dev/drrs/runtime/drain/",
                    "dev/drrs/runtime/history/",
                    "dev/drrs/runtime/job/",
                    "dev/drrs/runtime/jobmanager/",
                    "dev/drrs/runtime/message/",
                    "dev/drrs/runtime/request/",
                    "dev/drrs/runtime/rest/",
                    "dev/drrs/runtime/run/",
                    "dev/drrs/runtime/section/");

    private static final String SUFFIX = ".class";

    /** Some milliseconds when cold. */
    private static final int AT_A_TIME = 8;

    private final List<String> folders;

    private PluginClasses(List<String> folders) {
        this.folders = folders;
    }

    public static PluginClasses ofTasks() {
        return new PluginClasses(OF_TASKS);
    }

    public static PluginClasses ofCoordinator() {
        return new PluginClasses(OF_COORDINATOR);
    }

    @Override
    public String run(Stage stage) throws Exception {
        ClassLoader loader = PluginClasses.class.getClassLoader();
        List<String> names = names();
        int loaded = 0;
        for (String name : names) {
            try {
                Class.forName(name, true, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                throw new IllegalStateException("the class " + name + " cannot be used", e);
            }
            if (++loaded % AT_A_TIME == 0) {
                stage.rest();
            }
        }
        return loaded + " classes";
    }

    /** Of the classes in the place that this one is from. */
    List<String> names() throws Exception {
        File place =
                new File(
                        PluginClasses.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        return place.isDirectory() ? inFolder(place.toPath()) : inJar(place);
    }

    private List<String> inJar(File place) throws IOException {
        try (JarFile jar = new JarFile(place)) {
            return classes(jar.stream().map(ZipEntry::getName));
        }
    }

    private List<String> inFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return classes(
                    files.map(file -> folder.relativize(file).toString())
                            .map(name -> name.replace(File.separatorChar, '/')));
        }
    }

    private List<String> classes(Stream<String> files) {
        return files.filter(file -> folders.stream().anyMatch(file::startsWith))
                .filter(file -> file.endsWith(SUFFIX) && !file.endsWith("package-info.class"))
                .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                .map(file -> file.replace('/', '.'))
                .sorted()
                .toList();
    }
}
