package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an exchange delivers, over a local and over a remote channel. */
@Timeout(120)
class PeerExchangeTest {

    private static final PeerWriter.Listener NO_LISTENER = new PeerWriter.Listener() {};

    private TestTaskManager producer;
    private TestTaskManager other;

    @BeforeEach
    void start() throws IOException {
        producer = new TestTaskManager("producer");
        other = new TestTaskManager("consumer");
    }

    @AfterEach
    void stop() throws InterruptedException {
        try {
            TestTaskManager.assertNoThreadsLeft();
            producer.assertNothingLeaks();
            other.assertNothingLeaks();
        } finally {
            producer.close();
            other.close();
        }
    }

    private PeerNetwork consumer(boolean local) {
        return local ? producer.network : other.network;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void signalsAndBulkOfAnySizeKeepTheOrderOfTheirLane(boolean local) throws Exception {
        Random random = new Random(42);
        List<byte[]> signals = new ArrayList<>();
        List<byte[]> bulk = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            signals.add(
                    message(
                            1,
                            i,
                            random,
                            i == 27 ? 20 << 20 : i % 20 == 7 ? 5 << 20 : random.nextInt(100_000)));
            bulk.add(message(2, i, random, i % 20 == 9 ? 5 << 20 : random.nextInt(300_000)));
        }
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);

        Thread bulkSender =
                new Thread(
                        () -> {
                            try {
                                for (byte[] message : bulk) {
                                    writer.sendBulk(message);
                                }
                            } catch (IOException | InterruptedException e) {
                                writer.close(e);
                            }
                        });
        bulkSender.start();
        for (byte[] message : signals) {
            writer.sendSignal(message);
        }
        bulkSender.join();
        writer.finish().get(60, TimeUnit.SECONDS);

        assertThat(handler.openBatch()).as("handled includes the end of the last batch").isZero();
        assertThat(handler.awaitEnd()).isNull();
        assertThat(lane(handler, 1))
                .usingElementComparator(PeerExchangeTest::same)
                .isEqualTo(signals);
        assertThat(lane(handler, 2)).usingElementComparator(PeerExchangeTest::same).isEqualTo(bulk);
        assertThat(writer.metrics().messages()).isEqualTo(120);
        assertThat(writer.metrics().bytes())
                .isEqualTo(
                        signals.stream().mapToLong(m -> m.length).sum()
                                + bulk.stream().mapToLong(m -> m.length).sum());
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void emptyMessagesArrive(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        writer.sendSignal(new byte[0]);
        writer.sendBulk(new byte[0]);
        writer.finish().get(30, TimeUnit.SECONDS);
        assertThat(handler.messages()).hasSize(2).allMatch(m -> m.remaining() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLoneSignalArrivesWithoutAnythingBehindIt(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        PeerReader reader =
                consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        for (int i = 1; i <= 20; i++) {
            writer.sendSignal(new byte[] {(byte) i});
            handler.awaitMessages(i);
        }
        reader.close();
        assertThat(handler.awaitEnd()).isNull();
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSignalOvertakesBulkThatIsQueuedEvenWithinOneMessage(boolean local) throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        CollectingHandler handler =
                new CollectingHandler() {
                    @Override
                    public void message(ByteBuffer message) throws Exception {
                        super.message(message);
                        blocked.countDown();
                        proceed.await();
                    }
                };
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        writer.sendSignal(new byte[] {0});
        blocked.await();
        // Far more than the buffers between the two ends: most of it waits in the writer.
        writer.sendBulk(new byte[8 << 20]);
        writer.sendSignal(new byte[] {1});
        writer.sendSignal(new byte[] {2});
        proceed.countDown();
        writer.finish().get(30, TimeUnit.SECONDS);
        assertThat(handler.messages().stream().map(ByteBuffer::remaining))
                .containsExactly(1, 1, 1, 8 << 20);
        assertThat(handler.messages().get(2).get(0)).isEqualTo((byte) 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bulkGetsThroughWhileSignalsNeverRunDry(boolean local) throws Exception {
        CompletableFuture<Integer> signalsBeforeBulk = new CompletableFuture<>();
        AtomicInteger signals = new AtomicInteger();
        PeerReader.Handler handler =
                message -> {
                    if (message.remaining() > 1000) {
                        signalsBeforeBulk.complete(signals.get());
                    } else {
                        signals.incrementAndGet();
                    }
                };
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        PeerReader reader =
                consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        writer.sendBulk(new byte[100_000]);
        int sent = 0;
        while (!signalsBeforeBulk.isDone()) {
            if (writer.hasRoom()) {
                writer.sendSignal(new byte[1000]);
                sent++;
            } else {
                Thread.onSpinWait();
            }
        }
        assertThat(signalsBeforeBulk.get()).isLessThanOrEqualTo(sent);
        reader.close();
        writer.terminated().get(10, TimeUnit.SECONDS);
        reader.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowReaderTakesTheRoomAndGivesItBack(boolean local) throws Exception {
        CountDownLatch proceed = new CountDownLatch(1);
        CollectingHandler handler =
                new CollectingHandler() {
                    @Override
                    public void message(ByteBuffer message) throws Exception {
                        proceed.await();
                        super.message(message);
                    }
                };
        CompletableFuture<Boolean> roomAgain = new CompletableFuture<>();
        CompletableFuture<PeerWriter> self = new CompletableFuture<>();
        PeerWriter.Listener listener =
                new PeerWriter.Listener() {
                    @Override
                    public void onRoom() {
                        roomAgain.complete(self.join().hasRoom());
                    }
                };
        PeerOptions options = PeerOptions.DEFAULT.withSignalQueue(1 << 20, 1000);
        PeerWriter writer = producer.network.openWriter("a", options, listener);
        self.complete(writer);
        consumer(local).openReader("b", writer.address(), options, handler);
        assertThat(writer.hasRoom()).isTrue();
        int sent = 0;
        // More than the bound and all the buffers on the way; a signal never blocks.
        for (int i = 0; i < 300; i++) {
            writer.sendSignal(new byte[32 * 1024]);
            sent++;
        }
        assertThat(writer.hasRoom()).isFalse();
        assertThat(roomAgain).isNotDone();
        proceed.countDown();
        assertThat(roomAgain.get(30, TimeUnit.SECONDS)).isTrue();
        writer.finish().get(30, TimeUnit.SECONDS);
        assertThat(handler.messages()).hasSize(sent);
        assertThat(writer.metrics().blockedNanos()).isPositive();
        assertThat(writer.metrics().busyNanos())
                .isGreaterThanOrEqualTo(writer.metrics().blockedNanos());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manySmallSignalsTakeTheRoomByTheirNumber(boolean local) throws Exception {
        PeerOptions options = PeerOptions.DEFAULT.withSignalQueue(1 << 30, 10);
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", options, NO_LISTENER);
        for (int i = 0; i < 100_000; i++) {
            writer.sendSignal(new byte[2]);
        }
        assertThat(writer.hasRoom()).isFalse();
        consumer(local).openReader("b", writer.address(), options, handler);
        writer.finish().get(60, TimeUnit.SECONDS);
        assertThat(handler.messages()).hasSize(100_000);
        assertThat(handler.batches()).isLessThan(100_000 / 50);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendBulkBlocksWhileItsLaneIsFullAndIsLetGoByAClose(boolean local) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        PeerOptions options = PeerOptions.DEFAULT.withBulkQueueBytes(1 << 20);
        PeerWriter writer = producer.network.openWriter("a", options, NO_LISTENER);
        PeerReader reader =
                consumer(local)
                        .openReader("b", writer.address(), options, message -> never.await());
        AtomicInteger sent = new AtomicInteger();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread sender =
                new Thread(
                        () -> {
                            try {
                                while (true) {
                                    writer.sendBulk(new byte[100_000]);
                                    sent.incrementAndGet();
                                }
                            } catch (IOException | InterruptedException e) {
                                end.complete(e);
                            }
                        });
        sender.start();
        while (sender.getState() != Thread.State.WAITING || writer.metrics().bulk() == 0) {
            Thread.onSpinWait();
        }
        assertThat(end).isNotDone();
        writer.close();
        assertThat(end.get(10, TimeUnit.SECONDS)).isInstanceOf(PeerClosedException.class);
        reader.close();
        writer.terminated().get(10, TimeUnit.SECONDS);
        reader.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsTooLongIsRefusedByTheWriterAndByTheReader(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerOptions small = PeerOptions.DEFAULT.withMaxMessageBytes(1000);
        PeerWriter writer =
                producer.network.openWriter(
                        "a", PeerOptions.DEFAULT.withMaxMessageBytes(2000), NO_LISTENER);
        consumer(local).openReader("b", writer.address(), small, handler);
        assertThatThrownBy(() -> writer.sendSignal(new byte[2001]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("2001")
                .hasMessageContaining("2000");
        assertThatThrownBy(() -> writer.sendBulk(new byte[2001])).isInstanceOf(IOException.class);
        writer.sendSignal(new byte[1000]);
        writer.sendSignal(new byte[1001]);
        assertThat(handler.awaitEnd()).isInstanceOf(IOException.class).hasMessageContaining("1001");
        assertThat(handler.messages()).hasSize(1);
        assertThatThrownBy(() -> writer.finish().get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("1001");
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlerThatFailsEndsBothEndsWithItsReason(boolean local) throws Exception {
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        CollectingHandler handler =
                new CollectingHandler() {
                    @Override
                    public void message(ByteBuffer message) {
                        throw new IllegalStateException("cannot install");
                    }
                };
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        writer.sendSignal(new byte[1]);
        assertThat(handler.awaitEnd()).hasMessage("cannot install");
        assertThatThrownBy(() -> writer.finish().get(10, TimeUnit.SECONDS))
                .hasMessageContaining("cannot install");
        assertThatThrownBy(() -> writer.sendSignal(new byte[1]))
                .isInstanceOf(PeerClosedException.class)
                .hasMessageContaining("cannot install");
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosedWriterTellsTheReaderWhyAheadOfWhatIsQueued(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        writer.connected().get(10, TimeUnit.SECONDS);
        writer.close(new IllegalStateException("aborted by the coordinator"));
        assertThat(handler.awaitEnd())
                .isInstanceOf(PeerClosedException.class)
                .hasMessageContaining("aborted by the coordinator");
        writer.terminated().get(10, TimeUnit.SECONDS);
        assertThat(producer.partitions()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndOfATaskIsToldFromAFailureAtTheOtherEnd(boolean local) throws Exception {
        for (Throwable reason : new Throwable[] {null, new IllegalStateException("poison")}) {
            CollectingHandler left = new CollectingHandler();
            PeerWriter ends = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
            consumer(local).openReader("b", ends.address(), PeerOptions.DEFAULT, left);
            ends.connected().get(10, TimeUnit.SECONDS);
            ends.close(reason);
            assertThat(isEndOfTask(left.awaitEnd())).isEqualTo(reason == null);

            CompletableFuture<Throwable> told = new CompletableFuture<>();
            PeerWriter stays =
                    producer.network.openWriter(
                            "a",
                            PeerOptions.DEFAULT,
                            new PeerWriter.Listener() {
                                @Override
                                public void closed(Throwable failure) {
                                    told.complete(failure);
                                }
                            });
            PeerReader reader =
                    consumer(local)
                            .openReader("b", stays.address(), PeerOptions.DEFAULT, message -> {});
            stays.connected().get(10, TimeUnit.SECONDS);
            reader.close(reason);
            assertThat(isEndOfTask(told.get(10, TimeUnit.SECONDS))).isEqualTo(reason == null);
            ends.terminated().get(10, TimeUnit.SECONDS);
            stays.terminated().get(10, TimeUnit.SECONDS);
        }
    }

    private static boolean isEndOfTask(Throwable failure) {
        return ((PeerClosedException) failure).isEndOfTask();
    }

    @Test
    void aClosedWriterDoesNotWaitForAReaderThatNeverCame() throws Exception {
        PeerOptions options = PeerOptions.DEFAULT.withCloseGrace(Duration.ofMinutes(10));
        PeerWriter writer = producer.network.openWriter("a", options, NO_LISTENER);
        writer.sendSignal(new byte[5 << 20]);
        writer.close();
        writer.terminated().get(10, TimeUnit.SECONDS);
        assertThat(producer.partitions()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosedWriterTakesThePartitionAwayFromAReaderThatHangs(boolean local) throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        PeerOptions options = PeerOptions.DEFAULT.withCloseGrace(Duration.ofMillis(50));
        PeerWriter writer = producer.network.openWriter("a", options, NO_LISTENER);
        PeerReader reader =
                consumer(local)
                        .openReader(
                                "b",
                                writer.address(),
                                options,
                                message -> {
                                    hanging.countDown();
                                    never.await();
                                });
        // The head first: a message in the same buffer as the head would hang the reader before it
        // can answer.
        writer.connected().get(10, TimeUnit.SECONDS);
        writer.sendSignal(new byte[1]);
        hanging.await();
        writer.close();
        writer.terminated().get(10, TimeUnit.SECONDS);
        assertThat(producer.partitions()).isZero();
        reader.close();
        reader.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderMayComeLongAfterTheWriterHasFinished(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        writer.sendSignal(new byte[3]);
        CompletableFuture<Void> finished = writer.finish();
        assertThatThrownBy(() -> writer.sendSignal(new byte[1]))
                .isInstanceOf(PeerClosedException.class);
        assertThat(finished).isNotDone();
        consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        finished.get(10, TimeUnit.SECONDS);
        assertThat(handler.messages()).hasSize(1);
        assertThat(handler.awaitEnd()).isNull();
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRawThroughputIsMeasuredAndFillerIsNotHandedOver(boolean local) throws Exception {
        CollectingHandler handler = new CollectingHandler();
        PeerWriter writer = producer.network.openWriter("a", PeerOptions.DEFAULT, NO_LISTENER);
        PeerReader reader =
                consumer(local).openReader("b", writer.address(), PeerOptions.DEFAULT, handler);
        RawThroughput.Rate rate = RawThroughput.measure(writer, 16, 128);
        System.out.printf(
                "%s exchange: %.0f MiB/s%n",
                local ? "local" : "remote", rate.bytesPerSecond() / (1 << 20));
        assertThat(rate.bytes()).isEqualTo(128L << 20);
        assertThat(rate.bytesPerSecond()).isPositive();
        assertThat(handler.awaitEnd()).isNull();
        assertThat(handler.messages()).isEmpty();
        assertThat(reader.metrics().fillerBytes()).isEqualTo(144L << 20);
        assertThat(reader.fillerRate().bytes()).isEqualTo(144L << 20);
        assertThat(reader.fillerRate().bytesPerSecond()).isPositive();
        writer.terminated().get(10, TimeUnit.SECONDS);
    }

    private static byte[] message(int lane, int number, Random random, int size) {
        byte[] bytes = new byte[5 + size];
        random.nextBytes(bytes);
        ByteBuffer.wrap(bytes).put((byte) lane).putInt(number);
        return bytes;
    }

    private static List<byte[]> lane(CollectingHandler handler, int lane) {
        return handler.messages().stream()
                .filter(m -> m.get(0) == lane)
                .map(ByteBuffer::array)
                .toList();
    }

    private static int same(byte[] one, byte[] two) {
        return Arrays.compare(one, two);
    }
}
