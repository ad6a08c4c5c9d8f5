package dev.drrs.runtime.history;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.job.ElasticJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a JobManager knows of the rescales that ones before it were asked for, and what it leaves to
 * the next one: the status of each, and where vertices are still to go. Main thread; {@link #load}
 * on the thread that builds the JobMaster.
 */
public final class PastRescales {

    private static final Logger LOG = LoggerFactory.getLogger(PastRescales.class);

    private static final String LOST = "the JobManager was lost";

    private final Journal journal;

    /** Newest first. */
    private final List<Facts> past = new ArrayList<>();

    private List<JournalDocument.Target> targets = List.of();

    private PastRescales(Journal journal) {
        this.journal = journal;
    }

    /** Reads what earlier JobManagers left. */
    public static PastRescales load(ElasticJob job) {
        PastRescales memory = new PastRescales(Journal.of(job.configuration(), job.id()));
        JournalDocument kept = memory.read(job);
        if (kept != null) {
            kept.rescales().forEach(facts -> memory.past.add(facts.failed(LOST)));
            memory.targets = kept.recoveries();
        }
        return memory;
    }

    /** Where vertices were still to go when this JobMaster began. */
    public List<JournalDocument.Target> targets() {
        return targets;
    }

    /** Null if there is nothing that can be read; the job does not depend on it. */
    private JournalDocument read(ElasticJob job) {
        try {
            JsonNode document = journal.load();
            JournalDocument kept = document == null ? null : JournalDocument.read(document);
            if (document != null && kept == null) {
                LOG.warn(
                        "What is known of earlier rescales of job {} was written in version {} of the"
                                + " format, this is version {}: it is passed over.",
                        job.id(),
                        document.path("version").asText("none"),
                        JournalDocument.VERSION);
            }
            return kept;
        } catch (IOException e) {
            LOG.warn("What is known of earlier rescales of job {} cannot be read.", job.id(), e);
            return null;
        }
    }

    /** Rescales that earlier JobManagers were asked for, newest first. */
    public List<Facts> past() {
        return past;
    }

    /** A rescale of an earlier JobManager, or null. */
    public Facts find(String requestId) {
        return past.stream()
                .filter(facts -> facts.requestId().equals(requestId))
                .findFirst()
                .orElse(null);
    }

    /**
     * Leaves it to the next JobManager; done when it is written.
     *
     * @param own the rescales of this JobManager, newest first
     * @param targets where vertices are still to go
     */
    public CompletableFuture<Void> save(
            List<Facts> own, List<JournalDocument.Target> targets, ElasticJob job) {
        int size = Math.max(1, job.configuration().get(DrrsOptions.HISTORY_SIZE));
        while (!past.isEmpty() && past.size() + own.size() > size) {
            past.remove(past.size() - 1);
        }
        List<Facts> all = new ArrayList<>(own);
        all.addAll(past);
        return journal.save(new JournalDocument(JournalDocument.VERSION, all, targets).toJson());
    }

    /**
     * Ends it.
     *
     * @param forGood whether the job is over
     */
    public void close(boolean forGood) {
        journal.close(forGood);
    }
}
