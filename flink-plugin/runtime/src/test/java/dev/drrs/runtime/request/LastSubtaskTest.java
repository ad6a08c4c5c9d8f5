package dev.drrs.runtime.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LastSubtaskTest {

    private static final int CEILING = 5;

    @Test
    void theKeyGroupComesFromTheSubtaskThatHasMost() {
        int[] placement = {0, 2, 2, 4, 2, 0};
        assertThat(placement[LastSubtask.spare(placement, CEILING)]).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void noSubtaskLosesItsOnlyKeyGroupIfAnotherHasTwo(long seed) {
        int[] placement = new Random(seed).ints(CEILING + 1, 0, CEILING).toArray();
        int owner = placement[LastSubtask.spare(placement, CEILING)];
        assertThat(Arrays.stream(placement).filter(one -> one == owner).count()).isGreaterThan(1);
    }
}
