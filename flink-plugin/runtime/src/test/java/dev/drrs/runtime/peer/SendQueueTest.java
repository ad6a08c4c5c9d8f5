package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SendQueueTest {

    private static final int LENGTH = 16;

    private final SendQueue queue =
            new SendQueue(PeerOptions.DEFAULT.withBulkQueueBytes(2 * LENGTH));

    private byte[] send(byte[] array, boolean chunk) throws IOException, InterruptedException {
        queue.putBulk(Frame.Kind.BULK, ByteBuffer.wrap(array), chunk);
        SendQueue.Entry entry = queue.pollBulk();
        queue.bulkSent(entry, array.length);
        return entry.payload().array();
    }

    @Test
    void theArrayOfAChunkIsUsedAgainWhenItHasBeenSent() throws Exception {
        byte[] first = queue.chunkBuffer(LENGTH);
        assertThat(queue.chunkBuffer(LENGTH)).isNotSameAs(first);
        send(first, true);
        assertThat(queue.chunkBuffer(LENGTH)).isSameAs(first);
        assertThat(queue.chunkBuffer(LENGTH)).isNotSameAs(first);
    }

    @Test
    void theArrayOfAnyOtherMessageIsNot() throws Exception {
        byte[] others = new byte[LENGTH];
        queue.chunkBuffer(LENGTH);
        send(others, false);
        assertThat(queue.chunkBuffer(LENGTH)).isNotSameAs(others);
    }

    @Test
    void anotherLengthIsMadeAnew() throws Exception {
        send(queue.chunkBuffer(LENGTH), true);
        assertThat(queue.chunkBuffer(LENGTH + 1)).hasSize(LENGTH + 1);
    }

    @Test
    void noMoreIsKeptThanMayWait() throws Exception {
        byte[][] arrays = new byte[3][];
        for (int i = 0; i < arrays.length; i++) {
            arrays[i] = queue.chunkBuffer(LENGTH);
        }
        for (byte[] array : arrays) {
            send(array, true);
        }
        assertThat(queue.chunkBuffer(LENGTH)).isSameAs(arrays[1]);
        assertThat(queue.chunkBuffer(LENGTH)).isSameAs(arrays[0]);
        assertThat(queue.chunkBuffer(LENGTH)).isNotSameAs(arrays[2]);
    }
}
