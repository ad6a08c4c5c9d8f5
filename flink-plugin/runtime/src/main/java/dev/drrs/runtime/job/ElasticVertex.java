package dev.drrs.runtime.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * A keyed vertex of an elastic job: where its key groups are and which of its subtasks are active.
 *
 * <p>Owned by the JobMaster's main thread, except for construction and the first {@link #restore},
 * which come before it starts. The arrays handed out are never changed; a change replaces them, so
 * any thread may read the current ones.
 */
public final class ElasticVertex implements GroupMember {

    private static final int KEPT_SNAPSHOTS = 64;

    /** Placement and active set as of one checkpoint. */
    private record Snapshot(int[] placement, boolean[] active) {}

    private final JobVertexID id;
    private final OperatorID operator;
    private final String uid;
    private final String name;
    private final int ceiling;
    private final int maxParallelism;
    private final Snapshot initial;
    private final NavigableMap<Long, Snapshot> atCheckpoint = new TreeMap<>();

    private boolean reopens;
    private List<String> warnings = List.of();
    private volatile int[] placement;
    private volatile boolean[] active;

    /**
     * @param operator id of the keyed operator at the head of the chain
     * @param uid as the job gave it, or null
     * @param parallelism the configured one: how many subtasks are active at first
     */
    public ElasticVertex(
            JobVertexID id,
            OperatorID operator,
            String uid,
            String name,
            int parallelism,
            int ceiling,
            int maxParallelism) {
        this.id = id;
        this.operator = operator;
        this.uid = uid;
        this.name = name;
        this.ceiling = ceiling;
        this.maxParallelism = maxParallelism;
        this.initial = contiguous(parallelism);
        this.placement = initial.placement;
        this.active = initial.active;
    }

    /**
     * Before the JobMaster starts.
     *
     * @param opensAnew whether functions are opened anew when key groups come back
     * @param sentences about what may be out of date then
     */
    public void functions(boolean opensAnew, List<String> sentences) {
        reopens = opensAnew;
        warnings = List.copyOf(sentences);
    }

    /** Whether functions are opened anew when key groups come back to a subtask. */
    boolean reopens() {
        return reopens;
    }

    /** Sentences for the user: what a rescale may do to results, and what its key groups cost. */
    public List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        all.addAll(ManyKeyGroups.warnings(name(), maxParallelism(), activeCount()));
        return all;
    }

    private Snapshot contiguous(int parallelism) {
        int[] owners = new int[maxParallelism];
        for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
            owners[keyGroup] =
                    KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                            maxParallelism, parallelism, keyGroup);
        }
        boolean[] first = new boolean[ceiling];
        Arrays.fill(first, 0, parallelism, true);
        return new Snapshot(owners, first);
    }

    @Override
    public JobVertexID id() {
        return id;
    }

    @Override
    public OperatorID operator() {
        return operator;
    }

    @Override
    public String uid() {
        return uid;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int ceiling() {
        return ceiling;
    }

    @Override
    public int maxParallelism() {
        return maxParallelism;
    }

    @Override
    public ElasticVertex leader() {
        return this;
    }

    /** Those of the subtasks that would have to be activated, in the order given. */
    public List<Integer> dormantAmong(Collection<Integer> subtasks) {
        return subtasks.stream().filter(subtask -> !isActive(subtask)).toList();
    }

    /** Key group to subtask. */
    public int[] placement() {
        return placement;
    }

    @Override
    public boolean[] active() {
        return active;
    }

    public int initialParallelism() {
        int count = 0;
        for (boolean is : initial.active) {
            count += is ? 1 : 0;
        }
        return count;
    }

    public void activate(int subtask) {
        active = active.clone();
        active[subtask] = true;
    }

    public void deactivate(int subtask) {
        active = active.clone();
        active[subtask] = false;
    }

    public void place(int[] keyGroups, int owner) {
        placement = placement.clone();
        for (int keyGroup : keyGroups) {
            placement[keyGroup] = owner;
        }
    }

    /** Highest id of a checkpoint that this vertex took part in, -1 if there was none. */
    public long lastSnapshot() {
        return atCheckpoint.isEmpty() ? -1 : atCheckpoint.lastKey();
    }

    /** Active subtasks without a key group. */
    public List<Integer> emptySubtasks() {
        boolean[] owning = new boolean[ceiling];
        for (int owner : placement) {
            owning[owner] = true;
        }
        List<Integer> empty = new ArrayList<>();
        for (int subtask = 0; subtask < ceiling; subtask++) {
            if (active[subtask] && !owning[subtask]) {
                empty.add(subtask);
            }
        }
        return empty;
    }

    /**
     * Keeps placement and active set for checkpoint {@code id} and returns them for its coordinator
     * state.
     */
    public byte[] snapshot(long checkpoint) {
        Snapshot now = new Snapshot(placement, active);
        atCheckpoint.put(checkpoint, now);
        return new StoredPlacement(now.placement, now.active, initialParallelism(), false).write();
    }

    /**
     * Forgets snapshots that no failover goes back to any more. A few older ones are kept: a
     * completed savepoint does not replace the checkpoint before it.
     */
    public void completed(long checkpoint) {
        while (atCheckpoint.size() > KEPT_SNAPSHOTS && atCheckpoint.firstKey() < checkpoint) {
            atCheckpoint.pollFirstEntry();
        }
    }

    /**
     * Goes back to a checkpoint of this run of the job.
     *
     * @param checkpoint its id, or -1 for none: the initial placement
     */
    public void rollBack(long checkpoint) {
        Snapshot then = checkpoint < 0 ? initial : atCheckpoint.get(checkpoint);
        if (then == null) {
            throw new IllegalStateException(
                    "no placement is known for checkpoint " + checkpoint + " of vertex " + name);
        }
        placement = then.placement;
        active = then.active;
    }

    /**
     * Takes over the coordinator state of a checkpoint made by this or another run of the job, by
     * the rule of {@link #restored}.
     *
     * @param state null if there is none
     */
    public void restore(long checkpoint, byte[] state) {
        StoredPlacement then = restored(StoredPlacement.read(state));
        placement = then.owners();
        active = then.active();
        if (checkpoint >= 0) {
            atCheckpoint.put(checkpoint, new Snapshot(placement, active));
        }
    }

    /**
     * The placement that this vertex starts with. The parallelism reached is kept, unless the job
     * is submitted with another one than when the state was written: then that is what is wanted.
     * State of the same ceiling goes back to the subtasks that wrote it, any other is spread as
     * stock Flink would. Any thread.
     *
     * @param stored what is in the restored state; null if stock Flink wrote it, or nobody
     */
    public StoredPlacement restored(StoredPlacement stored) {
        if (goesHome(stored)) {
            return stored;
        }
        boolean reached = stored != null && stored.configured() == initialParallelism();
        Snapshot then = reached ? contiguous(Math.min(stored.activeCount(), ceiling)) : initial;
        return new StoredPlacement(then.placement, then.active, initialParallelism(), false);
    }

    /** Whether state with this placement beside it goes back to the subtasks that wrote it. */
    public boolean goesHome(StoredPlacement stored) {
        return stored != null
                && stored.maxParallelism() == maxParallelism
                && stored.ceiling() == ceiling
                && stored.configured() == initialParallelism();
    }
}
