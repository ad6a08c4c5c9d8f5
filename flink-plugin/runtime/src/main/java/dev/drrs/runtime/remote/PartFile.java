package dev.drrs.runtime.remote;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of shared storage that has been written. Each call may block for as long as the storage
 * takes. Any thread.
 *
 * @param bytes its length
 * @param checksum CRC-32C of all of it
 */
public record PartFile(Path path, long bytes, long checksum) {

    private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);

    /** Bytes that are read at a time; what object stores fetch ahead is theirs. */
    private static final int PIECE = 64 * 1024;

    /** Takes what is in a file, in order. */
    public interface Reader {

        /** The buffer may be used again afterwards. */
        void piece(ByteBuffer bytes) throws IOException;
    }

    /**
     * The reader may have got all of it before something is found to be wrong.
     *
     * @throws IOException if the file is not there or is not what was written, or from the reader
     */
    public void read(Reader reader) throws IOException {
        CRC32C found = new CRC32C();
        long length = 0;
        byte[] piece = new byte[(int) Math.max(1, Math.min(PIECE, bytes))];
        try (FSDataInputStream in = path.getFileSystem().open(path)) {
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                length += n;
                if (length > bytes) {
                    break;
                }
                found.update(piece, 0, n);
                reader.piece(ByteBuffer.wrap(piece, 0, n));
            }
        }
        if (length != bytes || found.getValue() != checksum) {
            throw new IOException(
                    "The file "
                            + path
                            + " is damaged: "
                            + bytes
                            + " bytes with the checksum "
                            + Long.toHexString(checksum)
                            + " were written, "
                            + (length > bytes
                                    ? "more than those are there."
                                    : length
                                            + " with the checksum "
                                            + Long.toHexString(found.getValue())
                                            + " are there."));
        }
    }

    /** It may be gone already. If it cannot be removed it is left until the rescale is over. */
    public void remove() {
        remove(path);
    }

    static void remove(Path path) {
        try {
            path.getFileSystem().delete(path, false);
        } catch (IOException e) {
            LOG.warn("{} is left until the rescale is over.", path, e);
        }
    }
}
