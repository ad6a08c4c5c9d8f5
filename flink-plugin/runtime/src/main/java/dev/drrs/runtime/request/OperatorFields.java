package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Reads what a request says about one operator. */
public final class OperatorFields {

    public static final Set<String> KNOWN =
            Set.of("vertex", "parallelism", "placement", "subscales");
    public static final Set<String> KNOWN_IN_SUBSCALE = Set.of("from", "to", "key_groups");

    private final JsonFields fields;
    private final Faults faults;

    OperatorFields(JsonFields fields, Faults faults) {
        this.fields = fields;
        this.faults = faults;
    }

    RescaleRequest.Operator read() {
        String vertex = fields.text("vertex");
        if (vertex == null && !fields.missing("vertex")) {
            vertex = "";
        } else if (vertex != null && vertex.isBlank()) {
            fields.fault(
                    fields.name("vertex")
                            + " is empty: name a vertex id, operator id, uid or name.");
            vertex = "";
        }
        if (fields.missing("parallelism")) {
            fields.fault(
                    fields.name("parallelism")
                            + " is missing: say how many subtasks shall be active.");
        }
        return new RescaleRequest.Operator(
                vertex,
                fields.missing("parallelism") ? null : fields.integer("parallelism"),
                fields.missing("placement") ? null : fields.integers("placement"),
                subscales());
    }

    private List<RescaleRequest.Subscale> subscales() {
        if (fields.missing("subscales")) {
            return null;
        }
        JsonNode list = fields.get("subscales");
        if (!list.isArray()) {
            fields.fault(
                    fields.name("subscales")
                            + " must be a list of objects, not "
                            + JsonFields.kind(list)
                            + ".");
            return null;
        }
        List<RescaleRequest.Subscale> read = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            RescaleRequest.Subscale subscale = subscale(list.get(i), fields.name("subscales", i));
            if (subscale == null) {
                return null;
            }
            read.add(subscale);
        }
        return List.copyOf(read);
    }

    private RescaleRequest.Subscale subscale(JsonNode node, String name) {
        if (!node.isObject()) {
            fields.fault(
                    name
                            + " must be an object with \"from\", \"to\" and \"key_groups\", not "
                            + JsonFields.kind(node)
                            + ".");
            return null;
        }
        JsonFields subscale = new JsonFields(node, name, faults);
        subscale.rejectUnknown(KNOWN_IN_SUBSCALE);
        Integer from = subscale.integer("from");
        Integer to = subscale.integer("to");
        int[] keyGroups = subscale.integers("key_groups");
        return from == null || to == null || keyGroups == null
                ? null
                : new RescaleRequest.Subscale(from, to, keyGroups);
    }
}
