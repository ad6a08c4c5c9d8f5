package dev.drrs.runtime.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private final List<String> log = new ArrayList<>();
    private final Handlers<Integer, IOException> handlers =
            new Handlers<>(channel -> "in channel " + channel);

    @Test
    void aMessageGoesToTheHandlerOfItsClassWithWhereItCameFrom() throws IOException {
        handlers.on(WrittenOut.class, (channel, out) -> log.add(channel + " " + out.rescale()))
                .on(ActiveSubtasksKnown.class, (channel, known) -> log.add("other"));
        handlers.handle(4, new WrittenOut(7));
        assertThat(log).containsExactly("4 7");
    }

    @Test
    void aMessageThatNobodyHandlesIsNamedWithItsOrigin() {
        handlers.on(ActiveSubtasksKnown.class, (channel, known) -> log.add("other"));
        assertThatIllegalStateException()
                .isThrownBy(() -> handlers.handle(4, new WrittenOut(7)))
                .withMessage("unexpected event in channel 4: WrittenOut[rescale=7]");
        assertThat(log).isEmpty();
    }

    @Test
    void aSecondHandlerOfAClassIsRefused() {
        handlers.on(WrittenOut.class, (channel, out) -> log.add("first"));
        assertThatIllegalStateException()
                .isThrownBy(() -> handlers.on(WrittenOut.class, (channel, out) -> {}))
                .withMessage("two handlers of WrittenOut");
    }

    @Test
    void whatAHandlerThrowsReachesTheCallerAsItIs() {
        IOException fault = new IOException("no");
        handlers.on(
                WrittenOut.class,
                (channel, out) -> {
                    throw fault;
                });
        assertThatThrownBy(() -> handlers.handle(4, new WrittenOut(7))).isSameAs(fault);
    }
}
