package dev.drrs.runtime.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFoldersTest {

    @TempDir private java.nio.file.Path directory;

    private StateFolders folders(boolean maybeLeft) {
        return new StateFolders(() -> new Path(directory.toUri()), () -> Runnable::run, maybeLeft);
    }

    private static java.nio.file.Path fill(String folder) throws IOException {
        java.nio.file.Path path = java.nio.file.Path.of(new Path(folder).toUri().getPath());
        Files.createDirectories(path);
        return Files.writeString(path.resolve("part"), "state");
    }

    @Test
    void whatARescaleLeavesGoesWithItAndThatOfOthersStays() throws IOException {
        StateFolders folders = folders(false);
        java.nio.file.Path one = fill(folders.folder(1));
        java.nio.file.Path other = fill(folders.folder(12));

        folders.over(1, true);
        assertThat(one).doesNotExist();
        assertThat(other).exists();
        folders.jobOver();
        assertThat(directory).doesNotExist();
    }

    @Test
    void tasksThatRanOnMayHaveLeftSomethingMore() throws IOException {
        StateFolders folders = folders(false);
        String folder = folders.folder(1);
        folders.over(1, false);
        java.nio.file.Path late = fill(folder);
        java.nio.file.Path next = fill(folders.folder(2));

        folders.attemptsOver();
        assertThat(late).doesNotExist();
        assertThat(next).exists();
    }

    @Test
    void theNextJobMasterRemovesWhatTheOneBeforeHasLeft() throws IOException {
        java.nio.file.Path left = fill(folders(false).folder(1));
        StateFolders folders = folders(true);
        java.nio.file.Path present = fill(folders.folder(1));

        folders.attemptsOver();
        assertThat(left).doesNotExist();
        assertThat(present).exists();
    }

    @Test
    void aRescaleThatBeginsRemovesWhatNobodyKnowsOfAndNothingElse() throws IOException {
        java.nio.file.Path left = fill(folders(false).folder(7));
        java.nio.file.Path foreign = fill(directory.resolve("chk-7").toString());
        java.nio.file.Path dotted = fill(directory.resolve("notes.txt").toString());
        StateFolders folders = folders(false);
        java.nio.file.Path present = fill(folders.folder(7));
        folders.folder(8);

        assertThat(left).doesNotExist();
        assertThat(left.getParent()).doesNotExist();
        assertThat(present).exists();
        assertThat(foreign).exists();
        assertThat(dotted).exists();
    }

    @Test
    void withoutAFileSystemThereIsNoFolder() {
        StateFolders none = new StateFolders(() -> null, () -> Runnable::run, false);
        assertThat(none.fault()).contains("drrs.remote.directory");
        assertThat(none.folder(1)).isNull();

        Path unknown = new Path("unheard-of://somewhere/state");
        assertThat(new StateFolders(() -> unknown, () -> Runnable::run, false).fault())
                .contains("cannot be used", "unheard-of");
    }
}
