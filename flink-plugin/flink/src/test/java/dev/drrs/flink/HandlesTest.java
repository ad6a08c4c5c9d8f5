package dev.drrs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlesTest {

    private static final String RANGE = "org.apache.flink.runtime.state.KeyGroupRange";

    private final List<String> told = new ArrayList<>();

    @AfterEach
    void tellNobody() {
        Handles.whenMissing(missing -> {});
    }

    private Object found(Function<Member, Object> finder, Member member) {
        Handles.whenMissing(told::add);
        return finder.apply(member);
    }

    @Test
    void aFieldMethodAndConstructorThatAreNotPublicCanBeUsed() throws Throwable {
        KeyGroupRange range = KeyGroupRange.of(3, 9);
        assertThat(Handles.field(Member.of(RANGE, "startKeyGroup", "I")).get(range)).isEqualTo(3);
        Handles.setter(Member.of(RANGE, "startKeyGroup", "I")).invoke(range, 5);
        assertThat(Handles.method(Member.of(RANGE, "getStartKeyGroup", "()I")).invoke(range))
                .isEqualTo(5);
        assertThat(Handles.constructor(Member.of(RANGE, "<init>", "(II)V")).invoke(1, 2))
                .isEqualTo(KeyGroupRange.of(1, 2));
        assertThat(told).isEmpty();
    }

    @Test
    void whatIsMissingIsNullAndToldWithoutAnExceptionSoThatNoClassFailsToInitialize() {
        Member renamed = Member.of(RANGE, "firstKeyGroup", "I");
        assertThat(found(Handles::field, renamed)).isNull();
        assertThat(found(Handles::setter, renamed)).isNull();
        assertThat(found(Handles::method, Member.of(RANGE, "gone", "()V"))).isNull();
        assertThat(found(Handles::constructor, Member.of(RANGE, "<init>", "(J)V"))).isNull();
        assertThat(found(Handles::owner, Member.of("org.apache.flink.Gone", "a", "I"))).isNull();
        assertThat(told).hasSize(5).anyMatch(one -> one.contains("firstKeyGroup"));
        assertThat(Handles.missing()).contains(renamed.toString());
    }

    @Test
    void aFieldOfAnotherTypeIsMissing() {
        Member retyped = Member.of(RANGE, "startKeyGroup", "J");
        assertThat(found(Handles::field, retyped)).isNull();
        assertThat(found(Handles::setter, retyped)).isNull();
    }
}
