package dev.drrs.runtime.checkpoint;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.job.StoredPlacement;
import dev.drrs.runtime.supported.StateBackends;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * How the state of a checkpoint or savepoint is handed to the subtasks of an elastic vertex: to
 * those that are active at the start, by {@link ElasticVertex#restored}; the keyed vertex of a
 * group speaks for all its members. Flink would reckon with the ceiling and give a part of it to
 * dormant subtasks, where it would be lost without a word.
 *
 * <p>On the thread that restores: the one that builds the JobMaster, later its main thread.
 */
public final class RestoredState {

    private final Collection<ExecutionJobVertex> vertices;
    private final Map<OperatorID, OperatorState> states;

    /**
     * @param vertices that are restored
     * @param states of the whole checkpoint, by operator
     */
    public RestoredState(
            Collection<ExecutionJobVertex> vertices, Map<OperatorID, OperatorState> states) {
        this.vertices = vertices;
        this.states = states;
    }

    /**
     * The keyed state of one subtask, managed and raw.
     *
     * @return null if Flink's own assignment is right
     */
    public Tuple2<List<KeyedStateHandle>, List<KeyedStateHandle>> keyed(
            OperatorState state, KeyGroupRange range, int subtask) {
        ElasticVertex vertex = elastic(state.getOperatorID());
        if (vertex == null) {
            // An elastic job wrote it, and its parallelism there is a ceiling: never to each
            // subtask its own.
            return StoredPlacement.of(state) == null ? null : keyed(state, List.of(range));
        }
        StoredPlacement stored = stored(vertex);
        if (vertex.goesHome(stored) && !stored.byKeyGroup()) {
            return null;
        }
        return keyed(state, runs(vertex.restored(stored).owners(), subtask));
    }

    private static Tuple2<List<KeyedStateHandle>, List<KeyedStateHandle>> keyed(
            OperatorState state, List<KeyGroupRange> ranges) {
        return Tuple2.of(
                StateBackends.ALL.join(
                        pick(state, ranges, OperatorSubtaskState::getManagedKeyedState)),
                StateBackends.ALL.join(
                        pick(state, ranges, OperatorSubtaskState::getRawKeyedState)));
    }

    /**
     * What falls into these ranges, by ascending key group. There may be as many handles and ranges
     * as key groups, so not each is held against each.
     *
     * @param ranges ascending and apart
     */
    static List<KeyedStateHandle> pick(
            OperatorState state,
            List<KeyGroupRange> ranges,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind) {
        NavigableMap<Integer, KeyGroupRange> byEnd = new TreeMap<>();
        ranges.forEach(range -> byEnd.put(range.getEndKeyGroup(), range));
        NavigableMap<Integer, List<KeyedStateHandle>> picked = new TreeMap<>();
        for (int subtask = 0; subtask < state.getParallelism(); subtask++) {
            OperatorSubtaskState part = state.getState(subtask);
            if (part == null) {
                continue;
            }
            for (KeyedStateHandle handle : kind.apply(part)) {
                KeyGroupRange covers = handle.getKeyGroupRange();
                for (KeyGroupRange range :
                        byEnd.tailMap(covers.getStartKeyGroup(), true).values()) {
                    if (range.getStartKeyGroup() > covers.getEndKeyGroup()) {
                        break;
                    }
                    KeyedStateHandle cut = handle.getIntersection(range);
                    if (cut != null) {
                        picked.computeIfAbsent(
                                        cut.getKeyGroupRange().getStartKeyGroup(),
                                        keyGroup -> new ArrayList<>())
                                .add(cut);
                    }
                }
            }
        }
        return picked.values().stream().flatMap(List::stream).toList();
    }

    /** The key groups of a subtask as ranges. */
    static List<KeyGroupRange> runs(int[] owners, int subtask) {
        List<KeyGroupRange> runs = new ArrayList<>();
        for (int start = 0; start < owners.length; start++) {
            if (owners[start] == subtask) {
                int end = start;
                while (end + 1 < owners.length && owners[end + 1] == subtask) {
                    end++;
                }
                runs.add(KeyGroupRange.of(start, end));
                start = end;
            }
        }
        return runs;
    }

    /**
     * Before a vertex is given restored state.
     *
     * @param ofVertex Flink's own assignment
     * @throws IllegalStateException if the vertex is elastic and has state that cannot be given to
     *     its active subtasks
     */
    public void check(Object ofVertex) {
        GroupMember member = member(DrrsCheckpointAccess.vertex(ofVertex));
        if (member == null) {
            return;
        }
        DrrsCheckpointAccess.Assignment assignment = DrrsCheckpointAccess.assignment(ofVertex);
        for (OperatorState state : assignment.states().values()) {
            if (state.getMaxParallelism() != member.maxParallelism()) {
                throw new IllegalStateException(
                        "The restored state of operator "
                                + member.name()
                                + " has max parallelism "
                                + state.getMaxParallelism()
                                + ", the elastic operator has "
                                + member.maxParallelism()
                                + ": set pipeline.max-parallelism to "
                                + state.getMaxParallelism()
                                + ".");
            }
        }
        ElasticVertex vertex = member.leader();
        StoredPlacement stored = stored(vertex);
        boolean sameSubtasks = vertex.goesHome(stored) && !stored.byKeyGroup();
        if (!sameSubtasks && assignment.hasRecordsInFlight()) {
            throw new IllegalStateException(
                    "The restored state of operator "
                            + member.name()
                            + " has in-flight records of an unaligned checkpoint that was not"
                            + " written by an elastic job with ceiling "
                            + vertex.ceiling()
                            + " and parallelism "
                            + vertex.initialParallelism()
                            + ": restore from a savepoint or an aligned checkpoint, leave the"
                            + " operator out of drrs.operators, or set both to what they were.");
        }
    }

    /**
     * After a vertex was given restored state: operator state (lists, union lists, broadcast state)
     * goes to active subtasks only.
     *
     * @param ofVertex Flink's own assignment
     */
    public void spread(Object ofVertex) {
        ElasticVertex vertex = elastic(DrrsCheckpointAccess.vertex(ofVertex));
        if (vertex == null) {
            return;
        }
        DrrsCheckpointAccess.Assignment assignment = DrrsCheckpointAccess.assignment(ofVertex);
        StoredPlacement stored = stored(vertex);
        SpreadOperatorState spread =
                new SpreadOperatorState(vertex.restored(stored).active(), vertex.goesHome(stored));
        assignment.states().forEach((id, state) -> spread.assign(id, state, assignment));
    }

    private StoredPlacement stored(ElasticVertex vertex) {
        for (ExecutionJobVertex one : vertices) {
            if (one.getJobVertexId().equals(vertex.id())) {
                for (OperatorIDPair pair : one.getOperatorIDs()) {
                    StoredPlacement stored = stored(pair);
                    if (stored != null) {
                        return stored;
                    }
                }
            }
        }
        return null;
    }

    private StoredPlacement stored(OperatorIDPair pair) {
        OperatorState state =
                pair.getUserDefinedOperatorID()
                        .map(states::get)
                        .orElse(states.get(pair.getGeneratedOperatorID()));
        return state == null ? null : StoredPlacement.of(state);
    }

    private ElasticVertex elastic(OperatorID operator) {
        for (ExecutionJobVertex vertex : vertices) {
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                if (operator.equals(pair.getGeneratedOperatorID())
                        || pair.getUserDefinedOperatorID().filter(operator::equals).isPresent()) {
                    return elastic(vertex);
                }
            }
        }
        return null;
    }

    private static ElasticVertex elastic(ExecutionJobVertex vertex) {
        GroupMember member = member(vertex);
        return member == null ? null : member.leader();
    }

    private static GroupMember member(ExecutionJobVertex vertex) {
        ElasticJob job = ElasticJobs.get(vertex.getJobId());
        return job == null ? null : job.member(vertex.getJobVertexId());
    }
}
