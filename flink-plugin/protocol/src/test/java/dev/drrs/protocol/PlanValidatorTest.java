package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlanValidatorTest {

    private static final int[] PRESENT = {0, 0, 1, 1};
    private static final int CEILING = 3;

    private static Plan plan(int[] placement, Plan.Move... moves) {
        return new Plan(placement, List.of(moves));
    }

    private static Plan.Move move(int from, int to, int... keyGroups) {
        return new Plan.Move(from, to, keyGroups);
    }

    private static List<PlanFault> faults(int parallelism, Plan plan) {
        return PlanValidator.validate(PRESENT, parallelism, CEILING, plan);
    }

    private static void only(List<PlanFault> faults, String code, String... parts) {
        assertThat(faults).hasSize(1);
        assertThat(faults.get(0).code()).isEqualTo(code);
        assertThat(faults.get(0).message()).contains(parts).endsWith(".");
    }

    @Test
    void aPlanThatCoversTheDifferenceIsValid() {
        Plan plan = plan(new int[] {0, 2, 1, 2}, move(0, 2, 1), move(1, 2, 3));
        assertThat(faults(3, plan)).isEmpty();
        int[] id = {0};
        assertThat(plan.subscales(() -> id[0]++))
                .containsExactly(
                        new Subscale(0, 0, 2, new int[] {1}), new Subscale(1, 1, 2, new int[] {3}));
    }

    @Test
    void aPlacementThatIsTooShortSaysHowManyItCovers() {
        only(faults(2, plan(new int[] {0, 0, 1})), "PLAN_INCOMPLETE", "3 of 4");
    }

    @Test
    void aPlacementThatIsTooLongIsInvalid() {
        only(
                faults(2, plan(new int[] {0, 0, 1, 1, 1})),
                "PLAN_INVALID",
                "5 entries",
                "4 key groups");
    }

    @Test
    void anOwnerOutOfRangeIsNamed() {
        only(
                faults(3, plan(new int[] {0, 3, 1, 1}, move(0, 3, 1))),
                "PLAN_INVALID",
                "Key group 1",
                "0 to 2",
                "on 3");
        only(
                faults(3, plan(new int[] {0, -1, 1, 1}, move(0, -1, 1))),
                "PLAN_INVALID",
                "Key group 1",
                "on -1");
    }

    @Test
    void anotherNumberOfOwnersThanWantedIsInvalid() {
        only(faults(3, plan(PRESENT)), "PLAN_INVALID", "uses 2 subtasks", "parallelism is 3");
    }

    @Test
    void aMoveThatIsMissingIsNamed() {
        only(
                faults(2, plan(new int[] {2, 2, 1, 1}, move(0, 2, 0))),
                "PLAN_INCOMPLETE",
                "Key group 1");
        only(faults(2, plan(new int[] {2, 2, 1, 1})), "PLAN_INCOMPLETE", "Key groups 0, 1");
    }

    @Test
    void aKeyGroupInTwoSubscalesIsNamed() {
        only(
                faults(3, plan(new int[] {2, 0, 1, 1}, move(0, 2, 0), move(0, 2, 0))),
                "PLAN_INVALID",
                "Key group 0",
                "more than once");
        only(
                faults(3, plan(new int[] {2, 0, 1, 1}, move(0, 2, 0, 0))),
                "PLAN_INVALID",
                "Key group 0",
                "more than once");
    }

    @Test
    void aMoveFromOrToTheWrongSubtaskIsNamed() {
        only(
                faults(3, plan(new int[] {2, 0, 1, 1}, move(1, 2, 0))),
                "PLAN_INVALID",
                "Subscale 0 (from 1 to 2)",
                "not on subtask 1",
                "on 0");
        only(
                faults(3, plan(new int[] {2, 0, 1, 1}, move(0, 1, 0))),
                "PLAN_INVALID",
                "elsewhere",
                "on 2");
        only(faults(2, plan(PRESENT, move(0, 2, 0))), "PLAN_INVALID", "elsewhere", "on 0");
    }

    @Test
    void aMoveOfNothingIsInvalid() {
        only(faults(2, plan(PRESENT, move(0, 2))), "PLAN_INVALID", "no key groups");
        only(faults(2, plan(PRESENT, move(0, 0, 0))), "PLAN_INVALID", "same subtask");
        only(faults(2, plan(PRESENT, move(0, 1, 4))), "PLAN_INVALID", "Key group 4", "0 to 3");
    }

    @Test
    void allFaultsComeTogether() {
        Plan plan = plan(new int[] {2, 2, 9}, move(1, 2, 0), move(0, 0), move(0, 2, 77));
        assertThat(faults(3, plan))
                .extracting(PlanFault::code)
                .containsExactly(
                        "PLAN_INCOMPLETE",
                        "PLAN_INVALID",
                        "PLAN_INVALID",
                        "PLAN_INVALID",
                        "PLAN_INVALID",
                        "PLAN_INVALID",
                        "PLAN_INCOMPLETE");
    }

    @Test
    void ofManyKeyGroupsOnlyTheFirstAreNamed() {
        Plan plan = plan(new int[20]);
        int[] present = new int[20];
        java.util.Arrays.fill(present, 1);
        only(
                PlanValidator.validate(present, 1, 2, plan),
                "PLAN_INCOMPLETE",
                "20 key groups (0, 1, 2, 3, 4, 5, 6, 7, ..)");
    }
}
