package dev.drrs.nexmark.query;

import java.util.Locale;

/** Builds the one-line JSON object of a result. Values are numbers and texts. */
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
        text.append(",\"").append(name).append("\":\"");
        value.chars().forEach(this::append);
        text.append('"');
        return this;
    }

    private void append(int character) {
        if (character == '"' || character == '\\') {
            text.append('\\');
        }
        if (character < ' ') {
            text.append(String.format(Locale.ROOT, "\\u%04x", character));
        } else {
            text.append((char) character);
        }
    }

    String end() {
        return text.append('}').toString();
    }
}
