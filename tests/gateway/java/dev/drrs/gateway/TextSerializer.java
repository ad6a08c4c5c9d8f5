package dev.drrs.gateway;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Text as UTF-8. */
enum TextSerializer implements SimpleVersionedSerializer<String>, Serializable {
    INSTANCE;

    @Override
    public int getVersion() {
        return 1;
    }

    @Override
    public byte[] serialize(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String deserialize(int version, byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
