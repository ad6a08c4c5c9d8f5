package dev.drrs.runtime.catalog;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Makes the page {@code docs/operators.md} out of the catalogue, so that it cannot say other. */
public final class OperatorsDoc {

    private static final String HEAD =
            """
            # Operators

            Which operators of Flink 2.3.0 can stand in an elastic task, and why others cannot. A keyed operator takes what it has
            in keyed state and timers along when key groups move. What it holds elsewhere stays behind, and a clock of its own
            knows nothing of a key group on its way: so an operator has to be in this catalogue to be rescaled. One that is not,
            or that is refused here, makes its vertex run as on stock Flink, and `pyctl plan` and `rescale` say which operator it
            is and what to do.

            - *keyed*: the operator behind `keyBy()`, at the head of its task. *behind*: chained behind it, or in a task that
              follows it over a FORWARD edge. Operators in front of a keyed one, and behind an exchange, may be anything.
            - An operator or a factory of operators that you wrote is not known and so is refused by the name of its class, unless
              you vouch for it: `drrs.operators.trusted` takes class names and packages (`com.acme.*`). Vouch for one that keeps
              records, keyed state and event time nowhere but in Flink's keyed state and timers, that forwards each watermark as
              it comes, and that gives away what it buffers in `prepareSnapshotPreBarrier`. Raw keyed state is refused in any
              case.
            - Functions that you wrote may be there, with two exceptions. One that takes part in checkpoints
              (`CheckpointedFunction`) may hold records of keys that move: it is refused by name, unless it implements
              `dev.drrs.api.KeyGroupListener` or you vouch for it. And one that keeps in a field what keyed state has as well is
              out of date when a key comes back: `pyctl plan` warns of fields that look like it. Let it implement
              `KeyGroupListener` (artifact `drrs-api`, no dependencies; a job jar may contain it), or set `drrs.functions.reopen`.
              The listener is called for the function of the keyed operator and for those chained behind it; those in tasks that
              follow over FORWARD edges are not told. A function that is opened anew loses all its fields, may not use
              accumulators, and its metrics stay those of the instance before.
            - An operator with a coordinator in the JobManager (`executeAndCollect()`, `collectAsync()` at parallelism 1) is
              refused by name where it is chained behind a keyed one or follows it, as is one that is made for a single subtask.
            - Python functions behind a keyed operator are refused until a test has rescaled them; in front of it, or behind an
              exchange, they may be.

            <!-- Generated from the catalogue; OperatorsDocTest says how. -->
            """;

    private OperatorsDoc() {}

    /** Prints the page. */
    public static void main(String[] arguments) {
        System.out.print(page());
    }

    /** The whole page as Markdown. */
    public static String page() {
        return HEAD
                + section("DataStream API and libraries", DataStreamOperators.ROWS)
                + section("SQL and Table API", SqlOperators.ROWS);
    }

    private static String section(String title, List<Known> rows) {
        return "\n## "
                + title
                + "\n\n"
                + table(
                        "| in a job | operator | place | holds outside keyed state | flushed by | clock | shown by |",
                        rows.stream().filter(row -> !row.isRefused()).toList())
                + "\nRefused:\n\n"
                + table(
                        "| in a job | operator | place | holds outside keyed state | flushed by | clock | because it |",
                        rows.stream().filter(Known::isRefused).toList());
    }

    private static String table(String head, List<Known> rows) {
        return head
                + "\n|---|---|---|---|---|---|---|\n"
                + rows.stream().map(OperatorsDoc::line).collect(Collectors.joining());
    }

    private static String line(Known row) {
        String operator = "`" + row.operator() + "`";
        String parts =
                row.parts().stream()
                        .map(part -> "<br>with `" + part + "`")
                        .collect(Collectors.joining());
        String places =
                row.roles().stream()
                        .sorted(Comparator.naturalOrder())
                        .map(Role::word)
                        .collect(Collectors.joining(", "));
        String verdict =
                row.isRefused()
                        ? row.fault() + (row.remedy() == null ? "" : "; " + row.remedy())
                        : row.proof();
        return "| %s | %s | %s | %s | %s | %s | %s |\n"
                .formatted(
                        row.written(),
                        operator + parts,
                        places,
                        row.holds(),
                        row.flush(),
                        row.time(),
                        verdict);
    }
}
