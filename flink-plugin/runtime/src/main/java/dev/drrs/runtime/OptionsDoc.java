package dev.drrs.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;

/**
 * Makes the page {@code docs/options.md} out of {@link DrrsOptions}, so that it cannot say anything
 * else.
 */
public final class OptionsDoc {

    private record Row(String key, String type, String defaultValue, String description) {}

    private OptionsDoc() {}

    /** Prints the page. */
    public static void main(String[] arguments) {
        System.out.print(page());
    }

    /** The whole page as Markdown, options sorted by name. */
    public static String page() {
        StringBuilder page =
                new StringBuilder(
                        """
                # Options

                In the cluster configuration (`conf/config.yaml`) or per job (`flink run -Ddrrs.enabled=true ..`); where both are
                given the job's value holds. Durations and sizes are written as in Flink: `30 s`, `2 min`, `8 mb`.

                <!-- Generated from DrrsOptions; OptionsDocTest says how. -->

                | option | type | default | meaning |
                |---|---|---|---|
                """);
        for (Row row : rows(DrrsOptions.class)) {
            page.append(
                    "| `%s` | %s | %s | %s |\n"
                            .formatted(
                                    row.key(), row.type(), row.defaultValue(), row.description()));
        }
        return page.toString();
    }

    private static List<Row> rows(Class<?> options) {
        return declared(options)
                .map(OptionsDoc::row)
                .sorted(Comparator.comparing(Row::key))
                .toList();
    }

    /** The fields of a class that hold its options. */
    static Stream<Field> declared(Class<?> options) {
        return Arrays.stream(options.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .filter(field -> field.getType() == ConfigOption.class);
    }

    static ConfigOption<?> option(Field field) {
        try {
            return (ConfigOption<?>) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a public field is accessible", e);
        }
    }

    private static Row row(Field field) {
        ConfigOption<?> option = option(field);
        String description = new HtmlFormatter().format(option.description());
        return new Row(
                option.key(), type(field), defaultValue(option), description.replace("|", "\\|"));
    }

    /** The option itself does not give its type away; the field's declaration does. */
    private static String type(Field field) {
        String name =
                ((ParameterizedType) field.getGenericType())
                        .getActualTypeArguments()[0].getTypeName();
        return name.replaceAll("\\b[a-z.]+\\.", "");
    }

    private static String defaultValue(ConfigOption<?> option) {
        if (!option.hasDefaultValue()) {
            return "(none)";
        }
        Object value = option.defaultValue();
        String text =
                value instanceof Duration duration
                        ? TimeUtils.formatWithHighestUnit(duration)
                        : String.valueOf(value);
        return "`" + text + "`";
    }
}
