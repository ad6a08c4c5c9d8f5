package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineLoadTest {

    private double load;
    private int measured;
    private long now;
    private final MachineLoad machine =
            new MachineLoad(
                    () -> {
                        measured++;
                        return load;
                    },
                    () -> now);

    @Test
    void isMeasuredOnceInAWhileOnly() {
        machine.getAsBoolean();
        load = 1;
        now += MachineLoad.SAMPLE_NANOS - 1;
        assertThat(machine.getAsBoolean()).isFalse();
        assertThat(measured).isEqualTo(1);
        now++;
        assertThat(machine.getAsBoolean()).isTrue();
        assertThat(measured).isEqualTo(2);
        load = 0.5;
        now += MachineLoad.SAMPLE_NANOS;
        assertThat(machine.getAsBoolean()).isFalse();
    }

    @Test
    void whatWasMeasuredOverALongTimeSaysNothingOfNow() {
        load = 1;
        assertThat(machine.getAsBoolean()).as("never measured before").isFalse();
        now += 100 * MachineLoad.SAMPLE_NANOS;
        assertThat(machine.getAsBoolean()).isFalse();
        now += MachineLoad.SAMPLE_NANOS;
        assertThat(machine.getAsBoolean()).isTrue();
    }

    @Test
    void aLoadThatIsNotKnownThrottlesNobody() {
        load = -1;
        machine.getAsBoolean();
        now += MachineLoad.SAMPLE_NANOS;
        assertThat(machine.getAsBoolean()).isFalse();
    }
}
