package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.peer.PeerClosedException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EndedPeersTest {

    private static final int PEER = 4;

    private final Set<Integer> exchanging = new HashSet<>();
    private final EndedPeers peers = new EndedPeers(exchanging::contains);

    @Test
    void aRegularEndFailsNobodyWhileNoSubscaleIsOpenBetweenTheTwo() {
        exchanging.add(PEER + 1);

        assertThatCode(() -> ends(PeerClosedException.endOfTask("closed by its owner")))
                .doesNotThrowAnyException();
        assertThatCode(() -> peers.needed(PEER + 1)).doesNotThrowAnyException();
    }

    @Test
    void aRegularEndFailsTheOtherTaskWhileASubscaleIsOpen() {
        exchanging.add(PEER);

        assertThatThrownBy(() -> ends(PeerClosedException.endOfTask("closed by its owner")))
                .isInstanceOf(RescaleFailedException.class)
                .hasMessage("peer exchange 0 -> 4 broke");
    }

    @Test
    void aSubscaleThatIsOpenedAfterwardsFailsItUntilTheNextRescale() throws Exception {
        ends(PeerClosedException.endOfTask("closed by its owner"));

        assertThatThrownBy(() -> peers.needed(PEER))
                .isInstanceOf(RescaleFailedException.class)
                .hasMessageContaining("subtask 4 has ended");
        peers.clear();
        assertThatCode(() -> peers.needed(PEER)).doesNotThrowAnyException();
    }

    @Test
    void anEndThatIsNoneOfATaskIsAFailureAlways() {
        for (Exception failure :
                new Exception[] {new PeerClosedException("its task fails"), new IOException()}) {
            assertThatThrownBy(() -> ends(failure)).isInstanceOf(RescaleFailedException.class);
        }
    }

    private void ends(Exception failure) throws RescaleFailedException {
        peers.gone(PEER, "0 -> 4", failure);
    }
}
