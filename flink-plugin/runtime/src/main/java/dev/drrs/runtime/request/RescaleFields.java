package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.Faults;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Reads the fields of a {@link RescaleRequest} one by one, so that one fault does not hide the
 * next.
 */
public final class RescaleFields {

    public static final Set<String> KNOWN =
            Set.of("operators", "strategy", "request_id", "cause", "dry_run", "options");

    /** An id stands in a path and in logs. */
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final int LONGEST_CAUSE = 1000;

    private final JsonNode root;
    private final JsonFields fields;
    private final Faults faults;

    RescaleFields(JsonNode root, Faults faults) {
        this.root = root;
        this.fields = new JsonFields(root, "", faults);
        this.faults = faults;
    }

    RescaleRequest read() {
        Set<String> known = new HashSet<>(KNOWN);
        known.addAll(OperatorFields.KNOWN);
        fields.rejectUnknown(known);
        return new RescaleRequest(
                operators(),
                fields.text("strategy"),
                requestId(),
                cause(),
                fields.flag("dry_run"),
                options());
    }

    /** The short form names one operator in the request itself. */
    private List<RescaleRequest.Operator> operators() {
        if (fields.missing("operators")) {
            return List.of(new OperatorFields(fields, faults).read());
        }
        for (String field : OperatorFields.KNOWN) {
            if (!fields.missing(field)) {
                fields.fault(
                        fields.name(field)
                                + " stands beside \"operators\"; put it into one of them.");
            }
        }
        JsonNode list = root.get("operators");
        if (!list.isArray() || list.isEmpty()) {
            fields.fault(
                    "\"operators\" must be a list of at least one object, not "
                            + (list.isArray() ? "an empty one" : JsonFields.kind(list))
                            + ".");
            return List.of();
        }
        List<RescaleRequest.Operator> read = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            String name = fields.name("operators", i);
            if (list.get(i).isObject()) {
                JsonFields operator = new JsonFields(list.get(i), name, faults);
                operator.rejectUnknown(OperatorFields.KNOWN);
                read.add(new OperatorFields(operator, faults).read());
            } else {
                fields.fault(
                        name + " must be an object, not " + JsonFields.kind(list.get(i)) + ".");
            }
        }
        return List.copyOf(read);
    }

    private String requestId() {
        String id = fields.text("request_id");
        if (id != null && !REQUEST_ID.matcher(id).matches()) {
            fields.fault(
                    "\"request_id\" must be 1 to 64 letters, digits, dots, dashes or underscores.");
            return null;
        }
        return id;
    }

    private String cause() {
        String cause = fields.text("cause");
        if (cause != null && cause.length() > LONGEST_CAUSE) {
            fields.fault(
                    "\"cause\" has "
                            + cause.length()
                            + " characters, at most "
                            + LONGEST_CAUSE
                            + " are kept.");
            return null;
        }
        return cause;
    }

    private Map<String, String> options() {
        Map<String, String> read = new LinkedHashMap<>();
        if (fields.missing("options")) {
            return read;
        }
        JsonNode node = root.get("options");
        if (!node.isObject()) {
            fields.fault(
                    "\"options\" must be an object of option names and values, not "
                            + JsonFields.kind(node)
                            + ".");
            return read;
        }
        node.properties()
                .forEach(
                        entry -> {
                            if (entry.getValue().isValueNode() && !entry.getValue().isNull()) {
                                read.put(entry.getKey(), entry.getValue().asText());
                            } else {
                                fields.fault(
                                        "Option \""
                                                + entry.getKey()
                                                + "\" must be a text, number or boolean, not "
                                                + JsonFields.kind(entry.getValue())
                                                + ".");
                            }
                        });
        return read;
    }
}
