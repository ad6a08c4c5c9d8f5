package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.AgentState;
import org.junit.jupiter.api.Test;

/** The agent that this JVM was started with. */
class AgentITCase {

    @Test
    void everyJoinPointFitsAndCanBeWoven() throws Exception {
        assertThat(AgentState.isArmed()).as(AgentState.reason()).isTrue();
        for (AgentState.Point point : AgentState.points()) {
            Class.forName(point.target());
        }
        assertThat(AgentState.reason()).isNull();
        assertThat(AgentState.points()).extracting(AgentState.Point::name).doesNotHaveDuplicates();
    }
}
