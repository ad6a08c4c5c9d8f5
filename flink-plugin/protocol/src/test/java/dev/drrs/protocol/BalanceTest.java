package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class BalanceTest {

    private static final int[] EVEN = {0, 0, 0, 0, 1, 1, 1, 1};

    @Test
    void aBalancedPlacementNeedsNoMove() {
        assertThat(Balance.fewestMoves(EVEN, Set.of(0, 1))).isZero();
    }

    @Test
    void newOwnersTakeTheirShareOnly() {
        assertThat(Balance.fewestMoves(EVEN, Set.of(0, 1, 2, 3))).isEqualTo(4);
        assertThat(Balance.fewestMoves(EVEN, Set.of(0, 1, 2))).isEqualTo(2);
    }

    @Test
    void whoIsNoOwnerAfterwardsGivesAllAway() {
        assertThat(Balance.fewestMoves(EVEN, Set.of(0))).isEqualTo(4);
        assertThat(Balance.fewestMoves(EVEN, Set.of(0, 5))).isEqualTo(4);
        assertThat(Balance.fewestMoves(EVEN, Set.of(4, 5))).isEqualTo(8);
    }

    @Test
    void theRichestKeepTheLargerShares() {
        assertThat(Balance.fewestMoves(new int[] {0, 0, 0, 1, 1, 2, 2}, Set.of(0, 1, 2))).isZero();
        assertThat(Balance.fewestMoves(new int[] {0, 0, 0, 0, 1, 1, 2}, Set.of(0, 1, 2)))
                .isEqualTo(1);
    }
}
