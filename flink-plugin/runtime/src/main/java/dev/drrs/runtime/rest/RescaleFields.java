package dev.drrs.runtime.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Reads the fields of a {@link RescaleRequest} one by one, so that one fault does not hide the
 * next.
 */
final class RescaleFields {

    private static final Set<String> KNOWN =
            new TreeSet<>(
                    Set.of(
                            "vertex",
                            "parallelism",
                            "strategy",
                            "request_id",
                            "cause",
                            "dry_run",
                            "placement",
                            "subscales",
                            "options"));
    private static final Set<String> KNOWN_IN_SUBSCALE =
            new TreeSet<>(Set.of("from", "to", "key_groups"));

    /** An id stands in a path and in logs. */
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final int LONGEST_CAUSE = 1000;

    private final JsonNode root;
    private final Faults faults;

    RescaleFields(JsonNode root, Faults faults) {
        this.root = root;
        this.faults = faults;
    }

    RescaleRequest read() {
        rejectUnknown(root, KNOWN, "");
        String vertex = text("vertex");
        if (missing("vertex")) {
            fault("\"vertex\" is missing: name a vertex id, operator id, uid or name.");
        } else if (vertex != null && vertex.isBlank()) {
            fault("\"vertex\" is empty: name a vertex id, operator id, uid or name.");
            vertex = null;
        }
        if (missing("parallelism")) {
            fault("\"parallelism\" is missing: say how many subtasks shall be active.");
        }
        return new RescaleRequest(
                vertex,
                missing("parallelism") ? null : integer(root.get("parallelism"), "\"parallelism\""),
                text("strategy"),
                requestId(),
                cause(),
                flag("dry_run"),
                missing("placement") ? null : integers(root.get("placement"), "\"placement\""),
                subscales(),
                options());
    }

    private String requestId() {
        String id = text("request_id");
        if (id != null && !REQUEST_ID.matcher(id).matches()) {
            fault("\"request_id\" must be 1 to 64 letters, digits, dots, dashes or underscores.");
            return null;
        }
        return id;
    }

    private String cause() {
        String cause = text("cause");
        if (cause != null && cause.length() > LONGEST_CAUSE) {
            fault(
                    "\"cause\" has "
                            + cause.length()
                            + " characters, at most "
                            + LONGEST_CAUSE
                            + " are kept.");
            return null;
        }
        return cause;
    }

    private List<RescaleRequest.Subscale> subscales() {
        if (missing("subscales")) {
            return null;
        }
        JsonNode list = root.get("subscales");
        if (!list.isArray()) {
            fault("\"subscales\" must be a list of objects, not " + kind(list) + ".");
            return null;
        }
        List<RescaleRequest.Subscale> read = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            RescaleRequest.Subscale subscale = subscale(list.get(i), "\"subscales\"[" + i + "]");
            if (subscale == null) {
                return null;
            }
            read.add(subscale);
        }
        return List.copyOf(read);
    }

    private RescaleRequest.Subscale subscale(JsonNode node, String name) {
        if (!node.isObject()) {
            fault(
                    name
                            + " must be an object with \"from\", \"to\" and \"key_groups\", not "
                            + kind(node)
                            + ".");
            return null;
        }
        rejectUnknown(node, KNOWN_IN_SUBSCALE, name + ": ");
        Integer from = integer(node.path("from"), name + ".\"from\"");
        Integer to = integer(node.path("to"), name + ".\"to\"");
        int[] keyGroups = integers(node.path("key_groups"), name + ".\"key_groups\"");
        return from == null || to == null || keyGroups == null
                ? null
                : new RescaleRequest.Subscale(from, to, keyGroups);
    }

    private Map<String, String> options() {
        Map<String, String> read = new LinkedHashMap<>();
        if (missing("options")) {
            return read;
        }
        JsonNode node = root.get("options");
        if (!node.isObject()) {
            fault(
                    "\"options\" must be an object of option names and values, not "
                            + kind(node)
                            + ".");
            return read;
        }
        node.properties()
                .forEach(
                        entry -> {
                            if (entry.getValue().isValueNode() && !entry.getValue().isNull()) {
                                read.put(entry.getKey(), entry.getValue().asText());
                            } else {
                                fault(
                                        "Option \""
                                                + entry.getKey()
                                                + "\" must be a text, number or boolean, not "
                                                + kind(entry.getValue())
                                                + ".");
                            }
                        });
        return read;
    }

    private void rejectUnknown(JsonNode node, Set<String> known, String prefix) {
        node.fieldNames()
                .forEachRemaining(
                        field -> {
                            if (!known.contains(field)) {
                                fault(
                                        prefix
                                                + "Unknown field \""
                                                + field
                                                + "\"; known are "
                                                + String.join(", ", known)
                                                + ".");
                            }
                        });
    }

    /** A field given as null counts as not given. */
    private boolean missing(String field) {
        return root.path(field).isMissingNode() || root.path(field).isNull();
    }

    private String text(String field) {
        if (missing(field)) {
            return null;
        }
        JsonNode node = root.get(field);
        if (!node.isTextual()) {
            fault("\"" + field + "\" must be a text, not " + kind(node) + ".");
            return null;
        }
        return node.textValue();
    }

    private boolean flag(String field) {
        if (missing(field)) {
            return false;
        }
        JsonNode node = root.get(field);
        if (!node.isBoolean()) {
            fault("\"" + field + "\" must be true or false, not " + kind(node) + ".");
            return false;
        }
        return node.booleanValue();
    }

    private Integer integer(JsonNode node, String name) {
        if (!node.isIntegralNumber() || !node.canConvertToInt()) {
            fault(name + " must be a whole number, not " + kind(node) + ".");
            return null;
        }
        return node.intValue();
    }

    private int[] integers(JsonNode node, String name) {
        if (!node.isArray()) {
            fault(name + " must be a list of whole numbers, not " + kind(node) + ".");
            return null;
        }
        int[] read = new int[node.size()];
        for (int i = 0; i < read.length; i++) {
            Integer value = integer(node.get(i), name + "[" + i + "]");
            if (value == null) {
                return null; // one fault a list: a list of a thousand texts is one mistake
            }
            read[i] = value;
        }
        return read;
    }

    private static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case OBJECT -> "an object";
            case STRING -> "a text";
            case BOOLEAN -> "a boolean";
            case NUMBER -> node.asText();
            case NULL, MISSING -> "missing";
            default -> "something else";
        };
    }

    private void fault(String message) {
        faults.add(FaultCode.MALFORMED_REQUEST, message);
    }
}
