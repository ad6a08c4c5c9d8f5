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
     * Whether nobody needs any more what is in a folder of the job's directory.
     *
     * @param name of the folder
     * @param life of the JobMaster that asks: those before it are over, none follows yet
     * @param over numbers of the rescales of this life that are over
     */
    public static boolean isLeft(String name, String life, Set<Integer> over) {
        return !name.startsWith(life + BETWEEN)
                || over.stream().anyMatch(one -> name.equals(new StorageFolder(life, one).name()));
    }
}
