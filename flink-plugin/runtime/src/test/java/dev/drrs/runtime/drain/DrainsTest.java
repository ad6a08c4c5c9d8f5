package dev.drrs.runtime.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.configuration.BatchExecutionOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blocklist.BlockedNode;
import org.apache.flink.runtime.blocklist.BlocklistUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DrainsTest {

    @AfterEach
    void undrain() {
        Drains.all().keySet().forEach(Drains::remove);
    }

    @Test
    void aDrainHoldsForEveryComponentAlsoForLaterOnes() {
        TestBlocklist before = new TestBlocklist("tm-1");
        assertThat(Drains.add("tm-1")).isTrue();
        TestBlocklist after = new TestBlocklist("tm-1");
        for (TestBlocklist blocklist : List.of(before, after)) {
            assertThat(blocklist.blocks("tm-1")).isTrue();
            assertThat(blocklist.blocks("tm-2")).isFalse();
        }
        assertThat(Drains.add("tm-1")).isFalse();
        assertThat(Drains.remove("tm-1")).isTrue();
        assertThat(before.blocks("tm-1") || after.blocks("tm-1")).isFalse();
        assertThat(Drains.remove("tm-1")).isFalse();
    }

    @Test
    void unusedSlotsGoBackWhereTheTaskManagerIsRegistered() {
        TestBlocklist knows = new TestBlocklist("tm-1", "tm-2");
        TestBlocklist knowsNot = new TestBlocklist("tm-2");
        Drains.add("tm-1");
        assertThat(knows.blockedNodes).containsExactly("node-of-tm-1");
        assertThat(knowsNot.blockedNodes).isEmpty();
    }

    @Test
    void anUndrainTellsThoseWhoWaitForSlots() {
        TestBlocklist blocklist = new TestBlocklist("tm-1");
        Drains.remove("tm-1");
        assertThat(blocklist.unblocked).isZero();
        Drains.add("tm-1");
        Drains.remove("tm-1");
        assertThat(blocklist.unblocked).isEqualTo(1);
    }

    @Test
    void aDrainIsNoBlockedNodeOfFlinks() {
        TestBlocklist blocklist = new TestBlocklist("tm-1");
        Drains.add("tm-1");
        assertThat(blocklist.handler().getAllBlockedNodeIds()).isEmpty();
    }

    @Test
    void nodesThatFlinkBlocksStayBlockedWithSpeculativeExecution() {
        Configuration speculative =
                new Configuration().set(BatchExecutionOptions.SPECULATIVE_ENABLED, true);
        TestBlocklist blocklist =
                new TestBlocklist(
                        speculative,
                        BlocklistUtils.loadBlocklistHandlerFactory(speculative),
                        "tm-1",
                        "tm-2");
        blocklist
                .handler()
                .addNewBlockedNodes(
                        List.of(new BlockedNode("node-of-tm-2", "slow", Long.MAX_VALUE)));
        Drains.add("tm-1");
        assertThat(blocklist.blocks("tm-1")).isTrue();
        assertThat(blocklist.blocks("tm-2")).isTrue();
        Drains.remove("tm-1");
        assertThat(blocklist.blocks("tm-1")).isFalse();
        assertThat(blocklist.blocks("tm-2")).isTrue();
        assertThat(blocklist.handler().getAllBlockedNodeIds()).containsExactly("node-of-tm-2");
    }
}
