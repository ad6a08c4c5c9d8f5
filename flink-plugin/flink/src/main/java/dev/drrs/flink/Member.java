package dev.drrs.flink;

/**
 * A member of a Flink class that the plug-in relies on, by name: reading it loads no class.
 *
 * @param owner binary name of the class that declares it, or null for the class a join point is in
 * @param name method or field name; {@code <init>} for a constructor
 * @param descriptor JVM descriptor
 */
public record Member(String owner, String name, String descriptor) {

    /** Of the class that the join point is in. */
    public static Member of(String name, String descriptor) {
        return new Member(null, name, descriptor);
    }

    public static Member of(String owner, String name, String descriptor) {
        return new Member(owner, name, descriptor);
    }

    public boolean isField() {
        return !descriptor.startsWith("(");
    }

    @Override
    public String toString() {
        return (owner == null ? "" : owner + '.') + name + (isField() ? ": " : "") + descriptor;
    }
}
