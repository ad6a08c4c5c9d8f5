package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.FlinkVersion;
import dev.drrs.flink.Member;
import java.util.List;
import java.util.stream.Collectors;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.pool.TypePool;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;

class PreFlightTest {

    private static final String SCHEDULER = "org.apache.flink.runtime.scheduler.DefaultScheduler";

    private final PreFlight preFlight = new PreFlight(PreFlightTest.class.getClassLoader());

    private record Point(String name, String type, List<Member> members) implements JoinPoint {
        @Override
        public DynamicType.Builder<?> transform(DynamicType.Builder<?> builder) {
            return builder;
        }
    }

    private String faultOf(String type, Member... members) {
        return preFlight
                .check(List.of(new Point("probe", type, List.of(members))), List.of())
                .get(0)
                .fault();
    }

    @Test
    void everyJoinPointAndMemberFitsTheFlinkVersionItWasMadeFor() {
        assertThat(preFlight.check(JoinPoints.all(), FlinkMembers.all()))
                .hasSameSizeAs(JoinPoints.all())
                .allSatisfy(finding -> assertThat(finding.fault()).isNull());
        assertThat(preFlight.versionFault()).isNull();
    }

    @Test
    void namesOfJoinPointsAreUnique() {
        assertThat(JoinPoints.all().stream().map(JoinPoint::name).collect(Collectors.toList()))
                .doesNotHaveDuplicates();
    }

    @Test
    void aMissingClassIsNamed() {
        assertThat(faultOf("org.apache.flink.Gone")).contains("class org.apache.flink.Gone");
        assertThat(faultOf("org.apache.flink.Gone", Member.of("run", "()V")))
                .contains("class org.apache.flink.Gone");
    }

    @Test
    void aMethodWithAnotherSignatureIsAFault() {
        assertThat(faultOf(SCHEDULER, Member.of("allocateSlotsAndDeploy", "(Ljava/util/List;)V")))
                .isNull();
        assertThat(faultOf(SCHEDULER, Member.of("allocateSlotsAndDeploy", "(Ljava/util/Set;)V")))
                .contains("allocateSlotsAndDeploy", "(Ljava/util/Set;)V");
    }

    @Test
    void aFieldOfAnotherTypeIsAFault() {
        assertThat(faultOf(SCHEDULER, Member.of("executionSlotAllocator", "Ljava/lang/Object;")))
                .contains("executionSlotAllocator");
    }

    @Test
    void anotherVersionOfFlinkIsAFaultThatNamesBoth() {
        assertThat(new PreFlight(TypePool.Empty.INSTANCE, "2.2.1").versionFault())
                .isEqualTo("built for Flink " + FlinkVersion.builtFor() + ", found 2.2.1");
        assertThat(new PreFlight(TypePool.Empty.INSTANCE, null).versionFault())
                .contains(FlinkVersion.builtFor(), "does not tell its version");
    }

    @Test
    void theVersionIsThatOfTheBuildAndTheOneFlinkGivesItself() {
        assertThat(FlinkVersion.builtFor()).isEqualTo(EnvironmentInformation.getVersion());
    }

    @Test
    void aClassPathWithoutFlinkIsNoFault() {
        assertThat(PreFlight.flinkPresent(ClassLoader.getPlatformClassLoader())).isFalse();
        assertThat(PreFlight.flinkPresent(PreFlightTest.class.getClassLoader())).isTrue();
    }
}
