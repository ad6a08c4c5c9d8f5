package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PeerClosedExceptionTest {

    @Test
    void theOtherEndIsToldTheWholeChainOfCausesAndWithoutOneThatTheOwnerHasClosedIt() {
        Exception poison = new IllegalStateException("poison");

        assertThat(PeerClosedException.reason(new IOException("its task fails", poison)))
                .isEqualTo("its task fails: poison");
        assertThat(PeerClosedException.reason(null)).isEqualTo("closed by its owner");
    }

    @Test
    void aReasonIsNoLongerThanAnEventTakes() {
        assertThat(PeerClosedException.shortened("x".repeat(70_000))).hasSize(1000);
        assertThat(PeerClosedException.shortened("short")).isEqualTo("short");
    }
}
