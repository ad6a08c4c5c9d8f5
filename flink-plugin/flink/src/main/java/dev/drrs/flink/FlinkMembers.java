package dev.drrs.flink;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** All members of Flink that are not public and that the plug-in uses. Loads no class of Flink. */
public final class FlinkMembers {

    private static final List<Class<?>> SUBJECTS =
            List.of(
                    BufferMembers.class,
                    CheckpointMembers.class,
                    GateMembers.class,
                    OperatorMembers.class,
                    PartitionMembers.class,
                    RestMembers.class,
                    SchedulerMembers.class,
                    StateMembers.class,
                    TaskMembers.class);

    private FlinkMembers() {}

    public static List<Member> all() {
        return SUBJECTS.stream().flatMap(FlinkMembers::of).distinct().toList();
    }

    private static Stream<Member> of(Class<?> subject) {
        return Arrays.stream(subject.getDeclaredFields())
                .filter(field -> field.getType() == Member.class)
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .map(FlinkMembers::value);
    }

    private static Member value(Field constant) {
        try {
            return (Member) constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a public constant is accessible", e);
        }
    }
}
