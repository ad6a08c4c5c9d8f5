package dev.drrs.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.message.CollectionPauses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GarbageCollectionsTest {

    private final GarbageCollections collections = new GarbageCollections();

    @Test
    void onlyPausesSinceTheMarkCount() {
        collections.add(700);
        GarbageCollections.Mark mark = collections.mark();
        assertThat(collections.since(mark, "tm")).isEqualTo(new CollectionPauses("tm", 0, 0, 0));
        collections.add(20);
        collections.add(85);
        collections.add(15);
        assertThat(collections.since(mark, "tm")).isEqualTo(new CollectionPauses("tm", 3, 120, 85));
    }

    @Test
    void moreThanAreKeptAreStillCounted() {
        GarbageCollections.Mark mark = collections.mark();
        collections.add(9);
        for (int i = 0; i < GarbageCollections.KEPT; i++) {
            collections.add(2);
        }
        assertThat(collections.since(mark, "tm"))
                .isEqualTo(
                        new CollectionPauses(
                                "tm",
                                GarbageCollections.KEPT + 1,
                                2 * GarbageCollections.KEPT + 9,
                                2));
    }

    /** The JVM tells of it a moment later. */
    @Test
    @Timeout(30)
    void theJvmTellsOfItsCollections() {
        GarbageCollections ofThisJvm = GarbageCollections.ofThisJvm();
        GarbageCollections.Mark mark = ofThisJvm.mark();
        System.gc();
        while (ofThisJvm.since(mark, "tm").count() == 0) {
            Thread.onSpinWait();
        }
        assertThat(ofThisJvm.since(mark, "tm").longestMillis())
                .isLessThanOrEqualTo(ofThisJvm.since(mark, "tm").totalMillis());
    }

    @Test
    void twoTasksOfOneTaskManagerSeeTheSamePausesNotTwiceAsMany() {
        assertThat(new CollectionPauses("tm", 3, 120, 85).or(new CollectionPauses("tm", 4, 90, 80)))
                .isEqualTo(new CollectionPauses("tm", 4, 120, 85));
    }
}
