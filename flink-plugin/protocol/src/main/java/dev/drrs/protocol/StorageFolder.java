package dev.drrs.protocol;

import java.util.Set;

/**
 * Where the files of one rescale of one vertex are. A failover ends a rescale, so what an attempt
 * has left is in no folder that a later one reads or writes.
 *
 * @param life of the JobMaster, unlike that of any other, without a dot
 * @param rescale its number in that life
 */
public record StorageFolder(String life, int rescale) {

    private static final char BETWEEN = '.';

    /** In the directory of the job. */
    public String name() {
        return life + BETWEEN + rescale;
    }

    /**
     * Whether it is the folder of a rescale, and nobody needs any more what is in it.
     *
     * @param name of something in the job's directory
     * @param life of the JobMaster that asks: those before it are over, none follows yet
     * @param over numbers of the rescales of this life that are over
     */
    public static boolean isLeft(String name, String life, Set<Integer> over) {
        StorageFolder folder = named(name);
        return folder != null && (!folder.life.equals(life) || over.contains(folder.rescale));
    }

    private static StorageFolder named(String name) {
        int between = name.indexOf(BETWEEN);
        try {
            return between < 1
                    ? null
                    : new StorageFolder(
                            name.substring(0, between),
                            Integer.parseUnsignedInt(name.substring(between + 1)));
        } catch (NumberFormatException e) { // something else
            return null;
        }
    }
}
