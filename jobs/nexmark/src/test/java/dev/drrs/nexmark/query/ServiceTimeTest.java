package dev.drrs.nexmark.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.source.Opening;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceTimeTest {

    @Test
    void eventsTakeTheirServiceTimeInTheMean() {
        ServiceTime service = new ServiceTime(200, 0, 0, null);
        assertThat(elapsedMicros(() -> serve(service, 100, 1))).isGreaterThan(100 * 200 - 1100);
    }

    @Test
    void theHotKeyTakesItsOwnTime() {
        ServiceTime service = new ServiceTime(0, 7, 10_000, null);
        assertThat(elapsedMicros(() -> serve(service, 20, 7))).isGreaterThan(20 * 10_000 - 1100);
        assertThat(elapsedMicros(() -> serve(service, 20, 8))).isLessThan(20 * 10_000);
    }

    @Test
    void anEventOfSeveralWindowsIsServedOnce() {
        ServiceTime service = new ServiceTime(1_000_000, 0, 0, null);
        ScheduledEvent event = event(0);
        service.serve(event, 1);
        assertThat(elapsedMicros(() -> service.serve(event, 1))).isLessThan(1_000_000);
    }

    @Test
    void anOpeningFileEndsTheWaits(@TempDir Path dir) throws IOException {
        Path file = Files.createFile(dir.resolve("open"));
        ServiceTime service =
                new ServiceTime(1_000_000, 0, 0, new Opening(file.toString(), 0, false, false));
        assertThat(elapsedMicros(() -> serve(service, 20, 1))).isLessThan(20 * 1_000_000);
    }

    private static void serve(ServiceTime service, int events, long key) {
        for (int i = 0; i < events; i++) {
            service.serve(event(i), key);
        }
    }

    private static ScheduledEvent event(int number) {
        return new ScheduledEvent(1, new Bid(number, 0, 0, 1, 1, 1));
    }

    private static long elapsedMicros(Runnable action) {
        long start = System.nanoTime();
        action.run();
        return (System.nanoTime() - start) / 1000;
    }
}
