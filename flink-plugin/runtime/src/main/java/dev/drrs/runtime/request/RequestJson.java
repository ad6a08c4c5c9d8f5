package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonLocation;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Reads a request's body strictly: what is not one JSON object in UTF-8 is a fault that says where.
 */
public final class RequestJson {

    /** Jackson's asides: where an object began, of which source. They say nothing to the caller. */
    private static final Pattern ASIDE =
            Pattern.compile("\\s*\\((start marker at|byte) [^)]*(\\)[^)]*)?\\)");

    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private RequestJson() {}

    /** The text of a body, or null with a fault added if it is not UTF-8. */
    public static String text(byte[] body, Faults faults) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            faults.add(
                    FaultCode.MALFORMED_JSON, "The body is not valid UTF-8; send JSON in UTF-8.");
            return null;
        }
    }

    /** The object that {@code json} holds, or null with a fault added. */
    public static JsonNode object(String json, Faults faults) {
        if (json.isBlank()) {
            faults.add(
                    FaultCode.MALFORMED_JSON,
                    "The body is empty at line 1, column 1; send a JSON object.");
            return null;
        }
        JsonNode root;
        try {
            root = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            faults.add(
                    FaultCode.MALFORMED_JSON,
                    "The body is not valid JSON" + where(e) + ": " + what(e));
            return null;
        }
        if (!root.isObject()) {
            faults.add(
                    FaultCode.MALFORMED_REQUEST,
                    "The body must be a JSON object, not "
                            + root.getNodeType().name().toLowerCase()
                            + ".");
            return null;
        }
        return root;
    }

    private static String where(JsonProcessingException e) {
        JsonLocation location = e.getLocation();
        return location == null
                ? ""
                : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private static String what(JsonProcessingException e) {
        String firstLine = e.getOriginalMessage().lines().findFirst().orElse("not readable");
        String plain = ASIDE.matcher(firstLine).replaceAll("");
        return plain.endsWith(".") ? plain : plain + ".";
    }
}
