package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The fields of one object of a request. A field of the wrong form is a fault and counts as not
 * given; a field given as null counts as not given.
 */
final class JsonFields {

    private final JsonNode node;
    private final String where;
    private final Faults faults;

    /**
     * @param where the object's own name in the request, empty for the request itself
     */
    JsonFields(JsonNode node, String where, Faults faults) {
        this.node = node;
        this.where = where;
        this.faults = faults;
    }

    /** What a field is called in a fault. */
    String name(String field) {
        return where.isEmpty() ? quoted(field) : where + "." + quoted(field);
    }

    /** What an element of a list is called in a fault. */
    String name(String list, int index) {
        return name(list) + "[" + index + "]";
    }

    JsonNode get(String field) {
        return node.path(field);
    }

    boolean missing(String field) {
        return node.path(field).isMissingNode() || node.path(field).isNull();
    }

    void rejectUnknown(Set<String> known) {
        node.fieldNames()
                .forEachRemaining(
                        field -> {
                            if (!known.contains(field)) {
                                fault(
                                        (where.isEmpty() ? "" : where + ": ")
                                                + "Unknown field "
                                                + quoted(field)
                                                + "; known are "
                                                + String.join(", ", new TreeSet<>(known))
                                                + ".");
                            }
                        });
    }

    String text(String field) {
        if (missing(field)) {
            return null;
        }
        JsonNode value = node.get(field);
        if (!value.isTextual()) {
            fault(name(field) + " must be a text, not " + kind(value) + ".");
            return null;
        }
        return value.textValue();
    }

    boolean flag(String field) {
        if (missing(field)) {
            return false;
        }
        JsonNode value = node.get(field);
        if (!value.isBoolean()) {
            fault(name(field) + " must be true or false, not " + kind(value) + ".");
            return false;
        }
        return value.booleanValue();
    }

    /** One that has to be there. */
    Integer integer(String field) {
        return integer(node.path(field), name(field));
    }

    /** One that has to be there; null as a whole if one of its elements is no whole number. */
    int[] integers(String field) {
        JsonNode list = node.path(field);
        if (!list.isArray()) {
            fault(name(field) + " must be a list of whole numbers, not " + kind(list) + ".");
            return null;
        }
        int[] read = new int[list.size()];
        for (int i = 0; i < read.length; i++) {
            Integer value = integer(list.get(i), name(field, i));
            if (value == null) {
                return null; // one fault a list: a list of a thousand texts is one mistake
            }
            read[i] = value;
        }
        return read;
    }

    private Integer integer(JsonNode value, String name) {
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            fault(name + " must be a whole number, not " + kind(value) + ".");
            return null;
        }
        return value.intValue();
    }

    void fault(String message) {
        faults.add(FaultCode.MALFORMED_REQUEST, message);
    }

    static String kind(JsonNode node) {
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

    private static String quoted(String field) {
        return "\"" + field + "\"";
    }
}
