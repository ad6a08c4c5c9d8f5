package dev.drrs.runtime.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.rehearsal.Rehearsed;
import org.junit.jupiter.api.Test;

class CoordinatorRehearsalTest {

    private final CoordinatorRehearsal rehearsal = new CoordinatorRehearsal();
    private String said;

    @Test
    void keyGroupsMoveOutAndInByMessages() throws Exception {
        assertThat(Rehearsed.of(stage -> said = rehearsal.run(stage)).ended())
                .startsWith("done in");
        assertThat(said).matches("[1-9][0-9]{2} subscales by [1-9][0-9]{3} messages");
    }
}
