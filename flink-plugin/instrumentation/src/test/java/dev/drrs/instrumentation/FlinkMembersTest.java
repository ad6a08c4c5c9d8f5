package dev.drrs.instrumentation;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.drrs.flink.FlinkMembers;
import dev.drrs.flink.Handles;
import dev.drrs.flink.Member;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.method.ParameterDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** That nothing of Flink that is not public is used without being in the list. */
class FlinkMembersTest {

    private final TypePool pool =
            TypePool.Default.of(
                    ClassFileLocator.ForClassLoader.of(FlinkMembersTest.class.getClassLoader()));

    @Test
    void allThatOurClassFilesAreLinkedToAndThatIsNotPublicIsInTheList() {
        assertThat(FlinkLinks.of(LayersTest.OURS))
                .hasSizeGreaterThan(20)
                .isSubsetOf(FlinkMembers.all());
    }

    @Test
    void everyHandleIsFound() throws ClassNotFoundException {
        for (JavaClass one : LayersTest.OURS) {
            if (one.getSimpleName().endsWith("Access")
                    || one.getPackageName().equals("dev.drrs.flink")) {
                Class.forName(one.getName()); // initialized
            }
        }
        assertThat(Handles.missing()).isEmpty();
    }

    @Test
    void everyConstantIsInTheList() throws IllegalAccessException {
        List<Member> constants = new ArrayList<>();
        for (JavaClass one :
                LayersTest.OURS.that(JavaClass.Predicates.resideInAPackage("dev.drrs.flink"))) {
            for (Field field : one.reflect().getDeclaredFields()) {
                if (field.getType() == Member.class) {
                    constants.add((Member) field.get(null));
                }
            }
        }
        assertThat(FlinkMembers.all())
                .containsExactlyInAnyOrderElementsOf(constants)
                .allSatisfy(member -> assertThat(member.owner()).isNotNull());
    }

    @Test
    void everyFieldThatAdviceNamesIsAMemberOfItsJoinPoint() {
        List<String> checked = new ArrayList<>();
        for (JoinPoint point : JoinPoints.all()) {
            for (Class<?> advice : point.getClass().getDeclaredClasses()) {
                for (String field : fieldsNamedBy(advice)) {
                    assertThat(point.members())
                            .as(point.name())
                            .anySatisfy(
                                    member -> {
                                        assertThat(member.name()).isEqualTo(field);
                                        assertThat(member.isField()).isTrue();
                                        assertThat(FlinkMembers.all()).contains(member);
                                    });
                    checked.add(field);
                }
            }
        }
        assertThat(checked).hasSizeGreaterThan(20);
    }

    private List<String> fieldsNamedBy(Class<?> advice) {
        TypeDescription described = pool.describe(advice.getName()).resolve();
        List<String> names = new ArrayList<>();
        for (MethodDescription method : described.getDeclaredMethods()) {
            for (ParameterDescription parameter : method.getParameters()) {
                AnnotationDescription.Loadable<Advice.FieldValue> field =
                        parameter.getDeclaredAnnotations().ofType(Advice.FieldValue.class);
                if (field != null && !field.load().value().equals(Weaving.HOOK)) {
                    names.add(field.load().value());
                }
            }
        }
        return names;
    }
}
