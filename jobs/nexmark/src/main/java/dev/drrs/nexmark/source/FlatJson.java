package dev.drrs.nexmark.source;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * One JSON object whose values are strings, integers, booleans or null: all that a replay data set
 * holds, so that the job jar needs no JSON library.
 */
final class FlatJson {

    private final String text;
    private final Map<String, Object> fields = new HashMap<>();
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /**
     * Parses UTF-8 bytes; {@link IllegalArgumentException} with the text if they are no such
     * object.
     */
    static FlatJson parse(byte[] bytes, int length) {
        FlatJson json = new FlatJson(new String(bytes, 0, length, StandardCharsets.UTF_8));
        json.parseObject();
        return json;
    }

    boolean has(String name) {
        return fields.get(name) != null;
    }

    long number(String name) {
        if (fields.get(name) instanceof Long value) {
            return value;
        }
        throw new IllegalArgumentException("No integer \"" + name + "\" in: " + text);
    }

    String string(String name) {
        if (fields.get(name) instanceof String value) {
            return value;
        }
        throw new IllegalArgumentException("No string \"" + name + "\" in: " + text);
    }

    private void parseObject() {
        expect('{');
        if (peek() == '}') {
            at++;
        } else {
            char separator;
            do {
                String name = parseString();
                expect(':');
                fields.put(name, parseValue());
                separator = next();
            } while (separator == ',');
            if (separator != '}') {
                throw malformed();
            }
        }
        skipBlanks();
        if (at < text.length()) {
            throw malformed();
        }
    }

    private Object parseValue() {
        char first = peek();
        if (first == '"') {
            return parseString();
        }
        int start = at;
        while (at < text.length() && ",} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String literal = text.substring(start, at);
        return switch (literal) {
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            case "null" -> null;
            default -> parseInteger(literal);
        };
    }

    private Object parseInteger(String literal) {
        try {
            return Long.valueOf(literal);
        } catch (NumberFormatException e) {
            // Fractions are kept as text: no event field has one, and a manifest's other fields
            // must not stop a run.
            if (literal.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
                return literal;
            }
            throw malformed();
        }
    }

    private String parseString() {
        expect('"');
        int start = at;
        int end = text.indexOf('"', at);
        if (end >= 0 && text.lastIndexOf('\\', end) < start) {
            at = end + 1;
            return text.substring(start, end);
        }
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return value.toString();
            }
            value.append(c == '\\' ? parseEscape() : c);
        }
        throw malformed();
    }

    private char parseEscape() {
        if (at >= text.length()) {
            throw malformed();
        }
        char c = text.charAt(at++);
        switch (c) {
            case '"', '\\', '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                if (at + 4 <= text.length()
                        && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
                    at += 4;
                    return (char) Integer.parseInt(text.substring(at - 4, at), 16);
                }
                throw malformed();
            default:
                throw malformed();
        }
    }

    private void expect(char wanted) {
        if (next() != wanted) {
            throw malformed();
        }
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private char peek() {
        skipBlanks();
        if (at >= text.length()) {
            throw malformed();
        }
        return text.charAt(at);
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "Not a flat JSON object (at character " + at + "): " + text);
    }
}
