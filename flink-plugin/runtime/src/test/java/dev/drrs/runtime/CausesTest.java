package dev.drrs.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class CausesTest {

    private final Exception poison = new IllegalStateException("poison\nsecond line");
    private final Exception sent = new IOException("key group 68 could not be sent", poison);

    @Test
    void theMessagesAreThoseOfTheWholeChainOfCausesInOneLine() {
        assertThat(Causes.messages(new IOException("its task fails", sent)))
                .isEqualTo("its task fails: key group 68 could not be sent: poison");
    }

    @Test
    void whatACauseSaysIsNotRepeated() {
        Exception one = new IllegalStateException("poison");

        assertThat(Causes.messages(new IOException(one)))
                .isEqualTo("java.lang.IllegalStateException: poison");
        assertThat(Causes.messages(new IOException("not sent: poison", one)))
                .isEqualTo("not sent: poison");
    }

    @Test
    void theMessageIsThatOfTheInnermostCauseThatHasOne() {
        assertThat(Causes.message(new IOException("its task fails", sent))).isEqualTo("poison");
        assertThat(Causes.message(new IOException("outer", new NullPointerException())))
                .isEqualTo("outer");
        assertThat(Causes.message(new CompletionException(new NullPointerException())))
                .isEqualTo("NullPointerException");
    }

    @Test
    void theInnermostCauseIsTheOneWithoutACause() {
        assertThat(Causes.innermost(new IOException(sent))).isSameAs(poison);
        assertThat(Causes.innermost(poison)).isSameAs(poison);
    }

    @Test
    void aFailureWithoutMessageIsNamedByItsKindAndACircleOfCausesEnds() {
        Exception first = new IOException("first");
        Exception second = new NullPointerException();
        first.initCause(second);
        second.initCause(first);

        assertThat(Causes.messages(first)).isEqualTo("first: NullPointerException");
        assertThat(Causes.message(first)).isEqualTo("first");
        assertThat(Causes.innermost(first)).isSameAs(second);
    }
}
