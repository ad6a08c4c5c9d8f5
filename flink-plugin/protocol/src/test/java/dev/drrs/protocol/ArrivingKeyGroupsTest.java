package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ArrivingKeyGroupsTest {

    private final ArrivingKeyGroups<StringBuilder> arriving = new ArrivingKeyGroups<>();

    @Test
    void whatComesOfAKeyGroupComesTogetherUntilItIsComplete() {
        arriving.of(1, 3, StringBuilder::new).append("a");
        arriving.of(1, 4, StringBuilder::new).append("b");
        assertThat(arriving.of(1, 3, StringBuilder::new)).hasToString("a");
        arriving.complete(1, 3);
        assertThat(arriving.size()).isOne();
        assertThat(arriving.of(1, 3, StringBuilder::new)).isEmpty();
    }

    @Test
    void aKeyGroupOfAnotherSubscaleIsAnotherOne() {
        arriving.of(1, 3, StringBuilder::new).append("a");
        assertThat(arriving.of(2, 3, StringBuilder::new)).isEmpty();
    }

    @Test
    void ofACancelledSubscaleNothingStaysAndNothingComes() {
        arriving.of(1, 3, StringBuilder::new).append("a");
        arriving.of(2, 4, StringBuilder::new).append("b");
        arriving.cancelled(1);
        assertThat(arriving.size()).isOne();
        assertThat(arriving.of(1, 3, StringBuilder::new)).isNull();
        assertThat(arriving.of(1, 5, StringBuilder::new)).isNull();
    }
}
