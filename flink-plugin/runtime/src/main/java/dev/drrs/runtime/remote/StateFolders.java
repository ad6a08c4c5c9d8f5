package dev.drrs.runtime.remote;

import dev.drrs.protocol.StorageFolder;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of one job's rescales in shared storage, in a directory of the job. Files are removed
 * by those who have read them; what is left of a rescale that ended otherwise is removed with its
 * folder when it is over, and once more when no task of its attempt runs any more. Of rescales that
 * this JobMaster knows nothing of, as those before it have crashed, that is done when one begins.
 * JobMaster main thread; the storage is used in another one.
 */
public final class StateFolders {

    private static final Logger LOG = LoggerFactory.getLogger(StateFolders.class);

    private final Supplier<Path> directory;
    private final Supplier<Executor> io;
    private final String life = UUID.randomUUID().toString();

    /** Numbers of rescales that have had a folder. */
    private final Set<Integer> open = new HashSet<>();

    private final Set<Integer> over = new HashSet<>();

    /** Tasks that still run may leave something, or have left it to an earlier JobMaster. */
    private boolean maybeLeft;

    /**
     * @param directory of the job, null as long as there is none; asked when it is needed
     * @param io for what may wait for the storage
     * @param maybeLeft whether an earlier JobMaster may have left something
     */
    public StateFolders(Supplier<Path> directory, Supplier<Executor> io, boolean maybeLeft) {
        this.directory = directory;
        this.io = io;
        this.maybeLeft = maybeLeft;
    }

    /** Why state cannot go through shared storage; null if it can. Touches no file. */
    public String fault() {
        try {
            Path of = directory.get();
            if (of == null) {
                return "there is no directory for it: the job's checkpoints are not in a file"
                        + " system. Set drrs.remote.directory to one that all TaskManagers reach, or"
                        + " execution.checkpointing.dir.";
            }
            of.getFileSystem();
            return null;
        } catch (IllegalArgumentException | IOException e) {
            return "its directory cannot be used: " + e.getMessage();
        }
    }

    /**
     * A rescale that begins puts its files there. What is left of those that are over is removed.
     *
     * @param rescale number in this JobMaster's life
     * @return null if there is no directory
     */
    public String folder(int rescale) {
        if (fault() != null) {
            return null;
        }
        sweep(false);
        open.add(rescale);
        return new Path(directory.get(), new StorageFolder(life, rescale).name()).toString();
    }

    /**
     * @param tasksRun whether its tasks run on and have nothing under way; else they may still
     *     write
     */
    public void over(int rescale, boolean tasksRun) {
        if (open.remove(rescale)) {
            over.add(rescale);
            maybeLeft |= !tasksRun;
            sweep(false);
        }
    }

    /** Whether {@link #attemptsOver} has anything to do. */
    public boolean mayBeLeft() {
        return maybeLeft;
    }

    /** No task of an attempt runs any more that a rescale which is over was of. */
    public void attemptsOver() {
        if (maybeLeft) {
            maybeLeft = false;
            sweep(false);
        }
    }

    /** The job has ended, and with it all tasks. */
    public void jobOver() {
        if (maybeLeft || !over.isEmpty()) {
            sweep(true);
        }
    }

    private void sweep(boolean all) {
        if (fault() != null) {
            return;
        }
        Path from = directory.get();
        Set<Integer> now = Set.copyOf(over);
        try {
            io.get().execute(() -> remove(from, now, all));
        } catch (RejectedExecutionException e) {
            LOG.debug("Nothing is removed from {} any more.", from);
        }
    }

    private void remove(Path from, Set<Integer> now, boolean all) {
        int removed = 0;
        try {
            FileSystem storage = from.getFileSystem();
            FileStatus[] found = storage.exists(from) ? storage.listStatus(from) : null;
            for (FileStatus one : found == null ? new FileStatus[0] : found) {
                if (all || StorageFolder.isLeft(one.getPath().getName(), life, now)) {
                    storage.delete(one.getPath(), true);
                    removed++;
                }
            }
            if (all) {
                storage.delete(from, true);
            }
        } catch (IOException e) {
            LOG.warn("Files of rescales that are over are left in {}.", from, e);
        }
        if (removed > 0) {
            LOG.info("Removed {} folders of rescales that are over from {}.", removed, from);
        }
    }
}
