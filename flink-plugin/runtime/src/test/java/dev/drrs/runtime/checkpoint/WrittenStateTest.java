package dev.drrs.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.job.StoredPlacement;
import dev.drrs.runtime.supported.StateBackends;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets which key group of what, when the state of an elastic vertex is restored. */
class WrittenStateTest {

    private static final OperatorID OPERATOR = new OperatorID();

    @ParameterizedTest
    @CsvSource({"128, 8, 1", "128, 8, 2", "120, 7, 3", "97, 5, 4", "64, 64, 5", "1, 1, 6"})
    void stockFlinkGivesEachKeyGroupToItsSubtaskAtAnyParallelism(
            int keyGroups, int ceiling, long seed) {
        Random random = new Random(seed);
        for (int blocks : new int[] {1, 2, 8, 32, keyGroups}) {
            int[] owners = placement(keyGroups, ceiling, blocks, random);
            OperatorState written = portable(owners, ceiling);
            for (int parallelism = 1; parallelism <= keyGroups; parallelism++) {
                for (int subtask = 0; subtask < parallelism; subtask++) {
                    KeyGroupRange range =
                            KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                                    keyGroups, parallelism, subtask);
                    assertThat(read(stock(written, range, parallelism, subtask)))
                            .as("%s of %s from %s", range, parallelism, Arrays.toString(owners))
                            .isEqualTo(expected(range, owners));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"128, 8, 1", "120, 7, 2", "97, 5, 3"})
    void anElasticJobGivesScatteredKeyGroupsToTheirNewOwnersInFewHandles(
            int keyGroups, int ceiling, long seed) {
        Random random = new Random(seed);
        for (int blocks : new int[] {1, 8, keyGroups}) {
            int[] owners = placement(keyGroups, ceiling, blocks, random);
            OperatorState written = portable(owners, ceiling);
            int[] wanted = placement(keyGroups, ceiling, blocks, random);
            for (int subtask = 0; subtask < ceiling; subtask++) {
                List<KeyGroupRange> runs = RestoredState.runs(wanted, subtask);
                List<KeyedStateHandle> handles =
                        StateBackends.ALL.join(
                                RestoredState.pick(
                                        written, runs, OperatorSubtaskState::getManagedKeyedState));
                TreeMap<Integer, Long> all = new TreeMap<>();
                int files = 0; // one after the other, as key groups ascend
                for (KeyGroupRange run : runs) {
                    all.putAll(expected(run, owners));
                    for (int keyGroup : run) {
                        boolean first = keyGroup == run.getStartKeyGroup();
                        files += first || owners[keyGroup] != owners[keyGroup - 1] ? 1 : 0;
                    }
                }
                assertThat(read(handles)).isEqualTo(all);
                assertThat(handles.size()).isLessThanOrEqualTo(files);
            }
        }
    }

    @Test
    void asFewSubtasksAreRecordedAsHaveRangesOfOneOwner() {
        int[] contiguous = IntStream.range(0, 128).map(keyGroup -> keyGroup / 64).toArray();
        assertThat(WrittenState.ranges(contiguous, 1)).isEqualTo(2);
        assertThat(WrittenState.ranges(contiguous, 8)).isEqualTo(8);
        assertThat(WrittenState.ranges(contiguous, 9)).isEqualTo(16);
        contiguous[5] = 1;
        assertThat(WrittenState.ranges(contiguous, 8)).isEqualTo(128);
    }

    private static int[] placement(int keyGroups, int ceiling, int blocks, Random random) {
        int[] owners = new int[keyGroups];
        int owner = 0;
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            if (keyGroup * blocks / keyGroups != (keyGroup - 1) * blocks / keyGroups) {
                owner = random.nextInt(ceiling);
            }
            owners[keyGroup] = owner;
        }
        return owners;
    }

    /** Each owner has a file with all key groups; the offset of each names owner and key group. */
    private static OperatorState portable(int[] owners, int ceiling) {
        int keyGroups = owners.length;
        OperatorState state = new OperatorState(null, null, OPERATOR, ceiling, keyGroups);
        for (int owner : Arrays.stream(owners).distinct().toArray()) {
            long[] offsets =
                    IntStream.range(0, keyGroups)
                            .mapToLong(keyGroup -> offset(owner, keyGroup))
                            .toArray();
            state.putState(
                    owner,
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(
                                    new KeyGroupsStateHandle(
                                            new KeyGroupRangeOffsets(
                                                    KeyGroupRange.of(0, keyGroups - 1), offsets),
                                            new ByteStreamStateHandle("of " + owner, new byte[1])))
                            .build());
        }
        boolean[] active = new boolean[ceiling];
        Arrays.fill(active, true);
        state.setCoordinatorState(
                new ByteStreamStateHandle(
                        "placement", new StoredPlacement(owners, active, 1, false).write()));
        CheckpointMetadata metadata =
                new CheckpointMetadata(
                        1,
                        List.of(state),
                        List.of(),
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION));
        OperatorState written =
                WrittenState.portable(metadata).getOperatorStates().iterator().next();
        written.getStates().forEach(part -> assertThat(part.getManagedKeyedState()).hasSize(1));
        return written;
    }

    private static long offset(int owner, int keyGroup) {
        return 1_000L * owner + keyGroup;
    }

    /** As Flink's state assignment. */
    private static List<KeyedStateHandle> stock(
            OperatorState written, KeyGroupRange range, int parallelism, int subtask) {
        if (parallelism != written.getParallelism()) {
            return StateAssignmentOperation.getManagedKeyedStateHandles(written, range);
        }
        OperatorSubtaskState own = written.getState(subtask);
        return own == null ? List.of() : new ArrayList<>(own.getManagedKeyedState());
    }

    private static TreeMap<Integer, Long> read(List<KeyedStateHandle> handles) {
        TreeMap<Integer, Long> read = new TreeMap<>();
        for (KeyedStateHandle handle : handles) {
            KeyGroupsStateHandle groups = (KeyGroupsStateHandle) handle;
            for (int keyGroup : groups.getKeyGroupRange()) {
                Long before = read.put(keyGroup, groups.getOffsetForKeyGroup(keyGroup));
                assertThat(before).as("key group %s twice", keyGroup).isNull();
            }
        }
        return read;
    }

    private static TreeMap<Integer, Long> expected(KeyGroupRange range, int[] owners) {
        TreeMap<Integer, Long> expected = new TreeMap<>();
        for (int keyGroup : range) {
            expected.put(keyGroup, offset(owners[keyGroup], keyGroup));
        }
        return expected;
    }
}
