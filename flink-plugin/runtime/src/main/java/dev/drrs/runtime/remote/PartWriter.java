package dev.drrs.runtime.remote;

import java.io.IOException;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a file of shared storage. Unless somebody is to read it, it is removed again when this is
 * closed. Each call may block for as long as the storage takes. One thread.
 */
public final class PartWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PartWriter.class);

    private final Path path;
    private final FSDataOutputStream out;
    private final CRC32C checksum = new CRC32C();
    private long bytes;
    private boolean handedOver;

    /**
     * @throws IOException if there is such a file already, or from the storage
     */
    public PartWriter(Path path) throws IOException {
        this.path = path;
        out = path.getFileSystem().create(path, FileSystem.WriteMode.NO_OVERWRITE);
    }

    public void write(byte[] from, int offset, int length) throws IOException {
        out.write(from, offset, length);
        checksum.update(from, offset, length);
        bytes += length;
    }

    /** Nothing follows. All of the file is there when this returns. */
    public PartFile finish() throws IOException {
        out.close();
        return new PartFile(path, bytes, checksum.getValue());
    }

    /** Whoever reads it removes it. */
    public void handedOver() {
        handedOver = true;
    }

    @Override
    public void close() {
        if (handedOver) {
            return;
        }
        try {
            out.close();
        } catch (IOException e) {
            LOG.debug("{} could not be closed.", path, e);
        }
        PartFile.remove(path);
    }
}
