package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An exchange gives back buffers, partition and threads, whichever way and whenever it ends. */
@Timeout(180)
class PeerLeakTest {

    private static final PeerWriter.Listener NO_LISTENER = new PeerWriter.Listener() {};

    private TestTaskManager producer;
    private TestTaskManager other;

    @BeforeEach
    void start() throws IOException {
        producer = new TestTaskManager("producer");
        other = new TestTaskManager("consumer");
    }

    @AfterEach
    void stop() {
        producer.close();
        other.close();
    }

    @Test
    void twoHundredExchangesOneAfterTheOtherLeaveNothing() throws Exception {
        for (int i = 0; i < 200; i++) {
            CollectingHandler handler = new CollectingHandler();
            PeerNetwork consumer = i % 2 == 0 ? producer.network : other.network;
            PeerWriter writer =
                    producer.network.openWriter("w" + i, PeerOptions.DEFAULT, NO_LISTENER);
            PeerReader reader =
                    consumer.openReader("r" + i, writer.address(), PeerOptions.DEFAULT, handler);
            writer.sendSignal(new byte[10]);
            writer.sendBulk(new byte[100_000]);
            writer.finish().get(10, TimeUnit.SECONDS);
            writer.terminated().get(10, TimeUnit.SECONDS);
            reader.terminated().get(10, TimeUnit.SECONDS);
            assertThat(handler.messages()).hasSize(2);
            assertThat(producer.partitions()).isZero();
        }
        assertNothingLeaks();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aCloseOfEitherEndAtAnyMomentLeavesNothing(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            closeAtSomeMoment(random, i);
        }
        assertNothingLeaks();
    }

    private void closeAtSomeMoment(Random random, int number) throws Exception {
        PeerNetwork consumer = random.nextBoolean() ? producer.network : other.network;
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer =
                producer.network.openWriter("w" + number, PeerOptions.DEFAULT, NO_LISTENER);
        PeerReader reader =
                consumer.openReader("r" + number, writer.address(), PeerOptions.DEFAULT, handler);
        int bulkSize = random.nextInt(500_000);
        Thread sender =
                new Thread(
                        () -> {
                            try {
                                while (true) {
                                    writer.sendBulk(new byte[bulkSize]);
                                }
                            } catch (PeerClosedException e) {
                                // How this thread ends: the exchange is closed under it.
                                return;
                            } catch (IOException | InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        sender.start();
        writer.sendSignal(new byte[random.nextInt(200_000)]);
        LockSupport.parkNanos(random.nextInt(3_000_000));
        switch (random.nextInt(4)) {
            case 0 -> writer.close();
            case 1 -> {
                reader.close();
                LockSupport.parkNanos(random.nextInt(1_000_000));
                writer.close();
            }
            case 2 -> {
                writer.finish();
                LockSupport.parkNanos(random.nextInt(1_000_000));
                reader.close();
                // A reader that had not heard from the writer yet could not tell it.
                writer.close();
            }
            default -> {
                writer.finish();
                LockSupport.parkNanos(random.nextInt(1_000_000));
                writer.close();
                reader.close();
            }
        }
        writer.terminated().get(20, TimeUnit.SECONDS);
        // A reader whose writer has gone before the two met would go on asking for the partition
        // for a while.
        reader.close();
        reader.terminated().get(20, TimeUnit.SECONDS);
        sender.join(20_000);
        assertThat(sender.isAlive()).isFalse();
    }

    @Test
    void aTaskManagerThatShutsDownEndsItsExchanges() throws Exception {
        try (TestTaskManager dying = new TestTaskManager("dying")) {
            CollectingHandler handler = new CollectingHandler();
            PeerWriter writer = dying.network.openWriter("w", PeerOptions.DEFAULT, NO_LISTENER);
            other.network.openReader("r", writer.address(), PeerOptions.DEFAULT, handler);
            writer.connected().get(10, TimeUnit.SECONDS);
            dying.close();
            assertThat(handler.awaitEnd()).isInstanceOf(IOException.class);
            writer.close();
            writer.terminated().get(10, TimeUnit.SECONDS);
        }
        assertNothingLeaks();
    }

    private void assertNothingLeaks() throws InterruptedException {
        TestTaskManager.assertNoThreadsLeft();
        producer.assertNothingLeaks();
        other.assertNothingLeaks();
    }
}
