package dev.drrs.protocol;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

/** How subtasks are busy with subscales. In the {@link Migration}'s thread. */
final class RunningSubscales implements StartRule.Running {

    private final Map<Integer, Integer> started = new HashMap<>();
    private final Map<Integer, Integer> left = new HashMap<>();
    private final Map<Integer, Integer> keyGroups = new HashMap<>();
    private final IntSupplier unready;
    private final IntUnaryOperator nodeOf;
    private final Map<Integer, Integer> startedOnNode = new HashMap<>();

    /**
     * @param placement key group to subtask, as of now
     * @param nodeOf subtask to the node that it runs on
     * @param unready as {@link #unready}
     */
    RunningSubscales(int[] placement, IntUnaryOperator nodeOf, IntSupplier unready) {
        this.nodeOf = nodeOf;
        this.unready = unready;
        for (int owner : placement) {
            keyGroups.merge(owner, 1, Integer::sum);
        }
    }

    /**
     * It is to start. Its key groups count at the new owner already: so turns alternate between
     * equally empty ones.
     */
    void add(Subscale subscale) {
        count(subscale, 1);
        keyGroups.merge(subscale.newOwner(), subscale.keyGroups().length, Integer::sum);
    }

    /** It does not start after all, or not yet. */
    void withdraw(Subscale subscale) {
        count(subscale, -1);
        keyGroups.merge(subscale.newOwner(), -subscale.keyGroups().length, Integer::sum);
    }

    /** Its key groups are at the new owner; neither owner is held up by it any more. */
    void left(Subscale subscale) {
        count(subscale, -1);
        left.merge(subscale.oldOwner(), 1, Integer::sum);
        left.merge(subscale.newOwner(), 1, Integer::sum);
        keyGroups.merge(subscale.oldOwner(), -subscale.keyGroups().length, Integer::sum);
    }

    private void count(Subscale subscale, int change) {
        started.merge(subscale.oldOwner(), change, Integer::sum);
        started.merge(subscale.newOwner(), change, Integer::sum);
        int old = nodeOf.applyAsInt(subscale.oldOwner());
        int young = nodeOf.applyAsInt(subscale.newOwner());
        startedOnNode.merge(old, change, Integer::sum);
        if (young != old) {
            startedOnNode.merge(young, change, Integer::sum);
        }
    }

    @Override
    public int started(int subtask) {
        return started.getOrDefault(subtask, 0);
    }

    @Override
    public int startedOnNode(int subtask) {
        return startedOnNode.getOrDefault(nodeOf.applyAsInt(subtask), 0);
    }

    @Override
    public int left(int subtask) {
        return left.getOrDefault(subtask, 0);
    }

    @Override
    public int keyGroups(int subtask) {
        return keyGroups.getOrDefault(subtask, 0);
    }

    @Override
    public int unready() {
        return unready.getAsInt();
    }
}
