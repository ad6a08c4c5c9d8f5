package dev.drrs.runtime.drain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.storage.TestStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.runtime.blocklist.NoOpBlocklistHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainStoreTest {

    @TempDir private Path storage;

    /** What a process does when it begins to lead. */
    private TestBlocklist lead() {
        return new TestBlocklist(
                TestStorage.in(storage), new NoOpBlocklistHandler.Factory(), "tm:1", "tm:2");
    }

    @AfterEach
    void undrain() {
        Drains.all().keySet().forEach(Drains::remove);
        new TestBlocklist(); // of a cluster without high availability
    }

    @Test
    void aNewLeaderKnowsTheDrainsOfTheOneBefore() throws Exception {
        lead();
        assertThat(Drains.add("tm:1")).isTrue();
        long since = Drains.all().get("tm:1");
        assertThat(DrainStore.of(TestStorage.in(storage)).orElseThrow().load())
                .containsExactly(Map.entry("tm:1", since));
        assertThat(Drains.remove("tm:1")).isTrue();
        assertThat(DrainStore.of(TestStorage.in(storage)).orElseThrow().load()).isEmpty();
    }

    @Test
    void whatAnotherLeaderHasDoneMeanwhileCounts() {
        lead();
        Drains.add("tm:1");
        DrainStore other = DrainStore.of(TestStorage.in(storage)).orElseThrow();
        other.remove("tm:1");
        other.add("tm:2", 5);
        TestBlocklist again = lead();
        assertThat(Drains.all()).containsOnlyKeys("tm:2").containsEntry("tm:2", 5L);
        assertThat(again.blocks("tm:2")).isTrue();
        assertThat(again.blocks("tm:1")).isFalse();
    }

    @Test
    void aFileThatWasNotWrittenWholeCountsForNothing() throws Exception {
        lead();
        Drains.add("tm:1");
        Path file;
        try (var files = Files.walk(storage)) {
            file = files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
        Files.writeString(file, "");
        lead();
        assertThat(Drains.all()).isEmpty();
    }

    @Test
    void withoutHighAvailabilityDrainsStayInMemory() {
        new TestBlocklist();
        Drains.add("tm:1");
        new TestBlocklist();
        assertThat(Drains.all()).containsOnlyKeys("tm:1");
        assertThat(storage).isEmptyDirectory();
    }
}
