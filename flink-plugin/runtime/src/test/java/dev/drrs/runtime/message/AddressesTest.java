package dev.drrs.runtime.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AddressesTest {

    private static final List<Class<?>> ADDRESSES =
            List.of(
                    OfRescale.class,
                    OfSubscale.class,
                    OfGate.class,
                    OfDataSet.class,
                    OfVertex.class,
                    OfJob.class);

    private static List<Class<?>> messages() throws IOException, URISyntaxException {
        Path folder = Path.of(OfRescale.class.getResource("OfRescale.class").toURI()).getParent();
        List<Class<?>> records = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".class", "");
                Class<?> one = forName(OfRescale.class.getPackageName() + "." + name);
                if (one.isRecord()) {
                    records.add(one);
                }
            }
        }
        return records;
    }

    private static Class<?> forName(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two would make the order of the rules of the route matter. */
    @Test
    void noMessageHasTwoAddresses() throws IOException, URISyntaxException {
        assertThat(messages()).contains(WriterReady.class, GateReported.class);
        assertThat(messages())
                .allSatisfy(
                        message ->
                                assertThat(ADDRESSES)
                                        .filteredOn(kind -> kind.isAssignableFrom(message))
                                        .hasSizeLessThan(2));
    }

    @Test
    void anAnswerAboutAnExchangeIsForTheRescaleOfTheExchange() {
        PeerLink link = new PeerLink(7, 0, 1);
        assertThat(new ReaderReady(link).rescale()).isEqualTo(7);
        assertThat(new WriterReady(link, null).rescale()).isEqualTo(7);
    }
}
