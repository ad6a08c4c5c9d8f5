package dev.drrs.nexmark.query;

/**
 * Builds the one-line JSON object of a result. Values are numbers and texts without characters to
 * escape.
 */
final class Json {

    private final StringBuilder text = new StringBuilder(96);

    private Json() {}

    /** Starts the record of a query. */
    static Json of(String query) {
        Json json = new Json();
        json.text.append("{\"q\":\"").append(query).append('"');
        return json;
    }

    Json put(String name, long value) {
        text.append(",\"").append(name).append("\":").append(value);
        return this;
    }

    Json put(String name, String value) {
        text.append(",\"").append(name).append("\":\"").append(value).append('"');
        return this;
    }

    String end() {
        return text.append('}').toString();
    }
}
