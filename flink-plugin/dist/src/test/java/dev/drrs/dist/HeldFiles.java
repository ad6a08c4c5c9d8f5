package dev.drrs.dist;

import java.io.IOException;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Files on disk under a scheme of their own, which a test can make wait, or fail, when they are
 * opened. One test at a time.
 */
public final class HeldFiles extends LocalFileSystem {

    static final String SCHEME = "held";

    private static final URI ROOT = URI.create(SCHEME + ":///");
    private static final AtomicBoolean FAILS = new AtomicBoolean();

    /** What is in the names of files that wait. */
    private static final Set<String> HELD = ConcurrentHashMap.newKeySet();

    private static volatile CompletableFuture<Void> released = new CompletableFuture<>();
    private static volatile CompletableFuture<Void> opened = new CompletableFuture<>();

    /** Found by Flink. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileSystem create(URI root) {
            return new HeldFiles();
        }
    }

    /** Whoever opens a file with one of these in its name waits. */
    static void hold(Set<String> names) {
        released = new CompletableFuture<>();
        opened = new CompletableFuture<>();
        HELD.addAll(names);
    }

    /** Until somebody waits. */
    static void awaitOpened() {
        opened.join();
    }

    static void release() {
        HELD.clear();
        released.complete(null);
    }

    /** The next file that is opened is not there. */
    static void failOnce() {
        FAILS.set(true);
    }

    @Override
    public URI getUri() {
        return ROOT;
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        if (FAILS.compareAndSet(true, false)) {
            throw new IOException("lost: " + path);
        }
        if (HELD.stream().anyMatch(path.getName()::contains)) {
            opened.complete(null);
            released.join();
        }
        return super.open(path);
    }
}
