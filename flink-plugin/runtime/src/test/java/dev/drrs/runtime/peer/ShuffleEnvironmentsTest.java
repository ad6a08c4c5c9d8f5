package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.blob.PermanentBlobKey;
import org.apache.flink.runtime.blob.PermanentBlobService;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.entrypoint.WorkingDirectory;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.taskexecutor.TaskExecutorResourceUtils;
import org.apache.flink.runtime.taskexecutor.TaskManagerServices;
import org.apache.flink.runtime.taskexecutor.TaskManagerServicesConfiguration;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The look-up, over the services of real TaskManagers in one JVM. */
class ShuffleEnvironmentsTest {

    @TempDir Path directory;

    private final ExecutorService ioExecutor = Executors.newFixedThreadPool(2);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        ioExecutor.shutdownNow();
        timer.shutdownNow();
    }

    @Test
    void aTaskFindsTheNetworkOfItsOwnTaskManagerAmongSeveral() throws Exception {
        TaskManagerServices one = start("one");
        TaskManagerServices two = start("two");
        try {
            ShuffleEnvironments.started(one);
            ShuffleEnvironments.started(two);
            PeerNetwork first = ShuffleEnvironments.of(taskOf(one));
            PeerNetwork second = ShuffleEnvironments.of(taskOf(two));
            assertThat(first.shuffle()).isSameAs(one.getShuffleEnvironment());
            assertThat(second.shuffle()).isSameAs(two.getShuffleEnvironment());
            assertThat(first.taskManager()).isEqualTo(new ResourceID("one"));
            assertThat(first.dataPort()).isPositive().isNotEqualTo(second.dataPort());

            CollectingHandler handler = new CollectingHandler();
            PeerWriter writer =
                    first.openWriter("w", PeerOptions.DEFAULT, new PeerWriter.Listener() {});
            second.openReader("r", writer.address(), PeerOptions.DEFAULT, handler);
            writer.sendSignal(new byte[] {1});
            writer.finish().get(10, TimeUnit.SECONDS);
            assertThat(handler.awaitEnd()).isNull();
            assertThat(handler.messages()).hasSize(1);

            ShuffleEnvironments.stopped(one);
            assertThatThrownBy(() -> ShuffleEnvironments.of(taskOf(one)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("TaskManagerServices.fromConfiguration");
            ShuffleEnvironments.stopped(two);
        } finally {
            one.shutDown();
            two.shutDown();
        }
    }

    private TaskManagerServices start(String name) throws Exception {
        Configuration configuration = new Configuration();
        MemorySize network = MemorySize.ofMebiBytes(4);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
        return TaskManagerServices.fromConfiguration(
                TaskManagerServicesConfiguration.fromConfiguration(
                        configuration,
                        new ResourceID(name),
                        "localhost",
                        false,
                        TaskExecutorResourceUtils.resourceSpecFromConfigForLocalExecution(
                                configuration),
                        WorkingDirectory.create(directory.resolve(name).toFile())),
                new NoBlobs(),
                new UnregisteredMetricsGroup(),
                ioExecutor,
                new ScheduledExecutorServiceAdapter(timer),
                failure -> {
                    throw new AssertionError(failure);
                },
                WorkingDirectory.create(directory.resolve(name).toFile()));
    }

    /** A task's environment of which the look-up may use nothing but the dispatcher. */
    private static Environment taskOf(TaskManagerServices services) {
        return (Environment)
                Proxy.newProxyInstance(
                        Environment.class.getClassLoader(),
                        new Class<?>[] {Environment.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("getTaskEventDispatcher")) {
                                return services.getTaskEventDispatcher();
                            }
                            throw new UnsupportedOperationException(method.getName());
                        });
    }

    private static final class NoBlobs implements PermanentBlobService {

        @Override
        public File getFile(JobID job, PermanentBlobKey key) throws IOException {
            throw new FileNotFoundException("no blobs here");
        }

        @Override
        public void close() {}
    }
}
