package dev.drrs.protocol;

/**
 * A part of a subscale that goes through shared storage. It has a file of its own, which nobody
 * writes twice: numbers of subscales do not come again in one {@link StorageFolder}.
 */
public record StoredPart(int subscale, int keyGroup, Bin bin) {

    /** In the folder of its rescale. */
    public String fileName() {
        return "subscale-"
                + subscale
                + "-key-group-"
                + keyGroup
                + "-bin-"
                + bin.number()
                + "-of-"
                + bin.of();
    }
}
