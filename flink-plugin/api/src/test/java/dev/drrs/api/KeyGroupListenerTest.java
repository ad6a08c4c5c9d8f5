package dev.drrs.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeyGroupListenerTest {

    private static final int JAVA_11 = 55;

    /** A job jar may bring a copy of its own: the plug-in must be able to call that one too. */
    @Test
    void signaturesHaveTypesOfTheJdkOnly() {
        for (Method method : KeyGroupListener.class.getMethods()) {
            assertThat(Arrays.asList(method.getParameterTypes()))
                    .allSatisfy(
                            type ->
                                    assertThat(type.isArray() || type.getName().startsWith("java."))
                                            .isTrue());
            assertThat(method.getReturnType()).isEqualTo(void.class);
        }
    }

    @Test
    void runsOnTheOldestJavaThatFlinkRunsJobsOn() throws IOException {
        try (InputStream file =
                        KeyGroupListener.class.getResourceAsStream("KeyGroupListener.class");
                DataInputStream in = new DataInputStream(file)) {
            in.readInt();
            in.readUnsignedShort();
            assertThat(in.readUnsignedShort()).isLessThanOrEqualTo(JAVA_11);
        }
    }
}
