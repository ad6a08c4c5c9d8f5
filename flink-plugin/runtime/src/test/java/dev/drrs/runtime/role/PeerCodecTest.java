package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.protocol.CombinedValve;
import dev.drrs.protocol.PeerElement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;

class PeerCodecTest {

    /** Channels 0 and 1 are of the first input, all others of the second. */
    private final PeerCodec codec =
            new PeerCodec(
                    List.of(LongSerializer.INSTANCE, StringSerializer.INSTANCE),
                    channel -> channel < 2 ? 0 : 1);

    @Test
    void aRecordIsWrittenAndReadByTheSerializerOfItsChannelsInput() throws Exception {
        StreamRecord<?> number = new StreamRecord<>(5L, 10);
        StreamRecord<?> text = new StreamRecord<>("five");
        assertThat(read(new PeerElement.Rerouted<>(3, 1, 7, number)))
                .isEqualTo(new PeerElement.Rerouted<>(3, 1, 7, number));
        assertThat(read(new PeerElement.Rerouted<>(3, 2, 7, text)))
                .isEqualTo(new PeerElement.Rerouted<>(3, 2, 7, text));
    }

    @Test
    void timersAndBinsOfWhatHasLeftArriveAsTheyWere() throws Exception {
        long[] timers = {5, Long.MAX_VALUE};
        PeerElement<StreamRecord<?>> element =
                read(new PeerElement.Detached<>(3, timers, new int[] {1, 1024}));
        PeerElement.Detached<StreamRecord<?>> detached =
                (PeerElement.Detached<StreamRecord<?>>) element;
        assertThat(detached.timers()).isEqualTo(timers);
        assertThat(detached.bins()).containsExactly(1, 1024);
    }

    @Test
    void theClockOfSeveralInputsArrivesAsItWas() throws Exception {
        CombinedValve clock = new CombinedValve(2, 1);
        clock.watermark(0, 5);
        clock.status(2, true);
        PeerElement<StreamRecord<?>> copy = read(new PeerElement.ValveCopy<>(3, clock.toLongs()));
        assertThat(((PeerElement.ValveCopy<StreamRecord<?>>) copy).valve())
                .isEqualTo(clock.toLongs());
    }

    @Test
    void recordsOfEitherInputHaveASize() throws Exception {
        int number = codec.size(0, new StreamRecord<>(5L));
        int text = codec.size(1, new StreamRecord<>("a text that is longer than a number"));
        assertThat(number).isBetween(Long.BYTES, 2 * Long.BYTES);
        assertThat(text).isGreaterThan(30);
    }

    @Test
    void theBytesOfTheKindsAreWhatTheyAre() {
        assertThat(Arrays.stream(PeerCodec.Kind.values()).map(kind -> kind + " " + kind.code))
                .containsExactlyInAnyOrder(
                        "VALVE 86",
                        "WATERMARK 87",
                        "STATUS 83",
                        "HOLD 72",
                        "DETACHED 68",
                        "REROUTED 82",
                        "CONFIRM 67",
                        "CANCELLED 88",
                        "PULL 80",
                        "STORED 70",
                        "CHUNK 66");
    }

    @Test
    void aMessageOfAnUnknownKindIsRefused() {
        for (byte code : new byte[] {0, 9, 127, -1}) {
            ByteBuffer message = ByteBuffer.wrap(new byte[] {code, 0, 0, 0, 1});
            assertThatThrownBy(() -> PeerCodec.kind(message))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("unknown kind " + code);
            assertThatThrownBy(() -> codec.decode(message)).isInstanceOf(IOException.class);
        }
    }

    private PeerElement<StreamRecord<?>> read(PeerElement<StreamRecord<?>> element)
            throws Exception {
        ByteBuffer bytes = codec.encode(element);
        return codec.decode(bytes);
    }
}
