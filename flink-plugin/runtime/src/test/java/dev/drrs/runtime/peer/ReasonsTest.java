package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReasonsTest {

    @Test
    void theOtherEndIsToldTheWholeChainOfCausesInOneLine() {
        Exception poison = new IllegalStateException("poison\nsecond line");
        Exception sent = new IOException("key group 68 could not be sent", poison);

        assertThat(Reasons.of(new IOException("its task fails", sent)))
                .isEqualTo("its task fails: key group 68 could not be sent: poison");
    }

    @Test
    void whatACauseSaysIsNotRepeated() {
        Exception poison = new IllegalStateException("poison");

        assertThat(Reasons.of(new IOException(poison)))
                .isEqualTo("java.lang.IllegalStateException: poison");
        assertThat(Reasons.of(new IOException("not sent: poison", poison)))
                .isEqualTo("not sent: poison");
    }

    @Test
    void aFailureWithoutMessageIsNamedByItsKindAndACircleOfCausesEnds() {
        Exception first = new IOException("first");
        Exception second = new NullPointerException();
        first.initCause(second);
        second.initCause(first);

        assertThat(Reasons.of(first)).isEqualTo("first: NullPointerException");
        assertThat(Reasons.of(null)).isEqualTo("closed by its owner");
    }
}
