package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.partition.PartitionNotFoundException;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Meeting: who comes first, who never comes. */
@Timeout(60)
class PeerConnectTest {

    private static final PeerWriter.Listener NO_LISTENER = new PeerWriter.Listener() {};

    @Test
    void anAddressSurvivesItsWayThroughTheCoordinator() throws Exception {
        try (TestTaskManager one = new TestTaskManager("one")) {
            PeerAddress address = PeerAddress.fresh(one.network);
            assertThat(InstantiationUtil.clone(address)).isEqualTo(address);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderWaitsForAPartitionThatIsNotThereYet(boolean local) throws Exception {
        // So short that the producer's TaskManager answers "not found" several times and the reader
        // asks again.
        try (TestTaskManager one = new TestTaskManager("one", patience(100, 10_000));
                TestTaskManager two = new TestTaskManager("two", patience(100, 10_000))) {
            PeerAddress address = PeerAddress.fresh(one.network);
            CollectingHandler handler = new CollectingHandler();
            PeerReader reader =
                    (local ? one : two)
                            .network.openReader("r", address, PeerOptions.DEFAULT, handler);
            // No event says that it has asked in vain; the time is what is tested.
            Thread.sleep(1000);
            PeerWriter writer =
                    PeerWriter.open(one.network, "w", address, PeerOptions.DEFAULT, NO_LISTENER);
            writer.sendSignal(new byte[7]);
            writer.finish().get(20, TimeUnit.SECONDS);
            assertThat(handler.awaitEnd()).isNull();
            assertThat(handler.messages()).hasSize(1);
            reader.terminated().get(10, TimeUnit.SECONDS);
            one.assertNothingLeaks();
            two.assertNothingLeaks();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderGivesUpOnAPartitionThatNeverComes(boolean local) throws Exception {
        try (TestTaskManager one = new TestTaskManager("one", patience(100, 200));
                TestTaskManager two = new TestTaskManager("two", patience(100, 200))) {
            CollectingHandler handler = new CollectingHandler();
            PeerReader reader =
                    (local ? one : two)
                            .network.openReader(
                                    "r",
                                    PeerAddress.fresh(one.network),
                                    PeerOptions.DEFAULT,
                                    handler);
            assertThat(handler.awaitEnd()).isInstanceOf(PartitionNotFoundException.class);
            assertThat(reader.connected()).isCompletedExceptionally();
            one.assertNothingLeaks();
            two.assertNothingLeaks();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderThatIsClosedWhileItWaitsLeavesNothing(boolean local) throws Exception {
        try (TestTaskManager one = new TestTaskManager("one", patience(100, 10_000));
                TestTaskManager two = new TestTaskManager("two", patience(100, 10_000))) {
            PeerAddress address = PeerAddress.fresh(one.network);
            CollectingHandler handler = new CollectingHandler();
            PeerReader reader =
                    (local ? one : two)
                            .network.openReader("r", address, PeerOptions.DEFAULT, handler);
            Thread.sleep(300);
            reader.close(new IOException("aborted"));
            assertThat(handler.awaitEnd()).hasMessage("aborted");
            // The connection between the two is not harmed: another exchange over it works.
            PeerWriter writer = two.network.openWriter("w", PeerOptions.DEFAULT, NO_LISTENER);
            CollectingHandler next = new CollectingHandler();
            one.network.openReader("r2", writer.address(), PeerOptions.DEFAULT, next);
            writer.sendSignal(new byte[1]);
            writer.finish().get(10, TimeUnit.SECONDS);
            assertThat(next.awaitEnd()).isNull();
            writer.terminated().get(10, TimeUnit.SECONDS);
            one.assertNothingLeaks();
            two.assertNothingLeaks();
        }
    }

    @Test
    void aReaderSaysSoIfTheTaskManagerCannotBeReached() throws Exception {
        int closedPort;
        try (ServerSocket socket = new ServerSocket(0)) {
            closedPort = socket.getLocalPort();
        }
        try (TestTaskManager one = new TestTaskManager("one")) {
            PeerAddress fresh = PeerAddress.fresh(one.network);
            CollectingHandler handler = new CollectingHandler();
            PeerAddress nobody =
                    new PeerAddress(
                            new ResourceID("gone"),
                            "127.0.0.1",
                            closedPort,
                            fresh.partition(),
                            fresh.dataSet());
            one.network.openReader("r", nobody, PeerOptions.DEFAULT, handler);
            assertThat(handler.awaitEnd()).isInstanceOf(IOException.class);
            CollectingHandler noPort = new CollectingHandler();
            PeerAddress localOnly =
                    new PeerAddress(
                            nobody.taskManager(),
                            "127.0.0.1",
                            -1,
                            fresh.partition(),
                            fresh.dataSet());
            one.network.openReader("r", localOnly, PeerOptions.DEFAULT, noPort);
            assertThat(noPort.awaitEnd()).hasMessageContaining("local connections only");
            one.assertNothingLeaks();
        }
    }

    @Test
    void aPartitionHasOneReaderTheSecondOneFails() throws Exception {
        try (TestTaskManager one = new TestTaskManager("one")) {
            PeerWriter writer = one.network.openWriter("w", PeerOptions.DEFAULT, NO_LISTENER);
            CollectingHandler first = new CollectingHandler();
            PeerReader reader =
                    one.network.openReader("r1", writer.address(), PeerOptions.DEFAULT, first);
            writer.connected().get(10, TimeUnit.SECONDS);
            CollectingHandler second = new CollectingHandler();
            one.network.openReader("r2", writer.address(), PeerOptions.DEFAULT, second);
            assertThat(second.awaitEnd()).isInstanceOf(IOException.class);
            writer.sendSignal(new byte[1]);
            writer.finish().get(10, TimeUnit.SECONDS);
            assertThat(first.awaitEnd()).isNull();
            reader.terminated().get(10, TimeUnit.SECONDS);
            one.assertNothingLeaks();
        }
    }

    private static Configuration patience(int requestTimeoutMillis, int maxBackOffMillis) {
        Configuration configuration = new Configuration();
        configuration.set(
                NettyShuffleEnvironmentOptions.NETWORK_PARTITION_REQUEST_TIMEOUT,
                Duration.ofMillis(requestTimeoutMillis));
        configuration.set(NettyShuffleEnvironmentOptions.NETWORK_REQUEST_BACKOFF_INITIAL, 50);
        configuration.set(
                NettyShuffleEnvironmentOptions.NETWORK_REQUEST_BACKOFF_MAX, maxBackOffMillis);
        return configuration;
    }
}
