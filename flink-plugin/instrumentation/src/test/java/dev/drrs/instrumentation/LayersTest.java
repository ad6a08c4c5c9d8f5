package dev.drrs.instrumentation;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import dev.drrs.flink.Handles;
import dev.drrs.flink.HeapStateAccess;
import dev.drrs.runtime.supported.StateBackends;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.util.stream.Stream;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.junit.jupiter.api.Test;

class LayersTest {

    /** What is in the JobMaster. */
    private static final String[] JOB_MASTER = {
        "dev.drrs.runtime.section..",
        "dev.drrs.runtime.job..",
        "dev.drrs.runtime.shown..",
        "dev.drrs.runtime.checkpoint..",
        "dev.drrs.runtime.run..",
        "dev.drrs.runtime.history..",
        "dev.drrs.runtime.request..",
        "dev.drrs.runtime.submission..",
        "dev.drrs.runtime.jobmanager.."
    };

    private static String[] and(String[] some, String... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
    }

    static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(location -> !location.contains("/org/apache/flink/flink-"))
                    .importPackages("dev.drrs", "org.apache.flink");

    @Test
    void theProtocolKnowsNothingButTheJdk() {
        classes()
                .that()
                .resideInAPackage("dev.drrs.protocol..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.drrs.protocol..", "java..")
                .check(OURS);
    }

    @Test
    void theRuntimeKnowsNothingOfTheInstrumentation() {
        noClasses()
                .that()
                .resideInAPackage("dev.drrs.runtime..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.drrs.instrumentation..", "net.bytebuddy..")
                .check(OURS);
    }

    @Test
    void stateAndExchangeKnowNothingOfTheRescaleThatUsesThem() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.drrs.runtime.state..", "dev.drrs.runtime.peer..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        and(JOB_MASTER, "dev.drrs.protocol..", "dev.drrs.runtime.role.."))
                .check(OURS);
    }

    @Test
    void whatIsKnownOfOperatorsAndFunctionsIsUsedOnBothSidesAndUsesNeither() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.drrs.runtime.catalog..", "dev.drrs.runtime.functions..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        and(
                                JOB_MASTER,
                                "dev.drrs.protocol..",
                                "dev.drrs.runtime.role..",
                                "dev.drrs.runtime.task..",
                                "dev.drrs.runtime.state.."))
                .check(OURS);
    }

    @Test
    void onlyTheHeapBackendNamesHeapClassesOfFlink() {
        noClasses()
                .that(not(IN_ACCESS_LAYER))
                .and()
                .resideOutsideOfPackages(
                        "dev.drrs.runtime.heap..", "dev.drrs.instrumentation.task.heap..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("org.apache.flink.runtime.state.heap..")
                                .or(type(HeapStateAccess.class)))
                .check(OURS);
    }

    @Test
    void onlyTheListOfBackendsNamesTheHeapBackend() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.drrs.runtime.heap..")
                .and()
                .doNotHaveFullyQualifiedName(StateBackends.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.drrs.runtime.heap..")
                .check(OURS);
    }

    @Test
    void whatIsKnownOfStateBackendsIsUsedOnBothSidesAndUsesNeither() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.drrs.runtime.backend..", "dev.drrs.runtime.supported..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        and(
                                JOB_MASTER,
                                "dev.drrs.protocol..",
                                "dev.drrs.runtime.role..",
                                "dev.drrs.runtime.task.."))
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage("dev.drrs.runtime.state..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.drrs.runtime.backend..", "dev.drrs.runtime.supported..")
                .check(OURS);
    }

    @Test
    void tasksAndJobManagerMeetInMessagesOnly() {
        noClasses()
                .that()
                .resideInAnyPackage(JOB_MASTER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.drrs.runtime.role..",
                        "dev.drrs.runtime.state..",
                        "dev.drrs.runtime.heap..",
                        "dev.drrs.runtime.peer..")
                .check(OURS);
        noClasses()
                .that()
                .resideInAnyPackage("dev.drrs.runtime.role..", "dev.drrs.runtime.task..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(JOB_MASTER)
                .check(OURS);
    }

    @Test
    void inFlinksOwnPackagesThereAreOnlyWaysToItsMembers() {
        // But what Flink lets only its own package extend.
        classes()
                .that()
                .resideInAPackage("org.apache.flink..")
                .and()
                .areNotAssignableTo(InputChannel.class)
                .and()
                .areTopLevelClasses()
                .should()
                .haveSimpleNameStartingWith("Drrs")
                .andShould()
                .haveSimpleNameEndingWith("Access")
                .check(OURS);
    }

    @Test
    void onlyTheAccessLayerStandsInFlinksPackagesAndGoesAroundItsAccessRules() {
        classes()
                .that()
                .resideInAPackage("org.apache.flink..")
                .should(ArchCondition.from(IN_ACCESS_LAYER))
                .check(OURS);
        noClasses()
                .that(not(IN_ACCESS_LAYER))
                .should()
                .accessTargetWhere(
                        targetOf(AccessibleObject.class, "setAccessible")
                                .or(targetOf(AccessibleObject.class, "trySetAccessible"))
                                .or(targetOf(MethodHandles.class, "privateLookupIn"))
                                .or(targetOf(MethodHandles.Lookup.class, ""))
                                .or(targetOf(Handles.class, "field"))
                                .or(targetOf(Handles.class, "method"))
                                .or(targetOf(Handles.class, "setter"))
                                .or(targetOf(Handles.class, "constructor")))
                .check(OURS);
    }

    @Test
    void noClassFailsToInitializeBecauseSomethingOfFlinkIsMissing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ExceptionInInitializerError.class)
                .check(OURS);
    }

    @Test
    void theAccessLayerKnowsNothingOfWhatUsesIt() {
        noClasses()
                .that(IN_ACCESS_LAYER)
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.drrs..")
                                .and(not(resideInAPackage("dev.drrs.flink.."))))
                .check(OURS);
    }

    private static final DescribedPredicate<JavaClass> IN_ACCESS_LAYER =
            DescribedPredicate.describe(
                    "in module flink",
                    one ->
                            one.getSource()
                                    .map(source -> source.getUri().toString())
                                    .filter(uri -> uri.contains("/flink/target/"))
                                    .isPresent());

    /**
     * @param name "" for any method
     */
    private static DescribedPredicate<JavaAccess<?>> targetOf(Class<?> owner, String name) {
        return DescribedPredicate.describe(
                owner.getSimpleName() + "." + name,
                access ->
                        access.getTargetOwner().isAssignableTo(owner)
                                && (name.isEmpty() || access.getTarget().getName().equals(name)));
    }

    @Test
    void everyAdviceIsASingleStaticMethodPerMoment() {
        methods()
                .that()
                .areDeclaredInClassesThat()
                .areMemberClasses()
                .and()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(
                        "dev.drrs.instrumentation.jobmanager..", "dev.drrs.instrumentation.task..")
                .should()
                .bePublic()
                .andShould()
                .beStatic()
                .andShould()
                .haveNameMatching("enter|exit")
                .check(OURS);
    }

    @Test
    void joinPointsAreNotPublic() {
        classes()
                .that()
                .areAssignableTo(WovenPoint.class)
                .and()
                .doNotHaveSimpleName("WovenPoint")
                .should()
                .bePackagePrivate()
                .check(OURS);
    }

    @Test
    void noPackageOfTheRuntimeDependsOnItselfByWayOfOthers() {
        slices().matching("dev.drrs.runtime.(*)..").should().beFreeOfCycles().check(OURS);
    }
}
