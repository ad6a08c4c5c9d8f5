package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Shared storage, as a host uses it for state: files that old owners write and new ones read. What
 * is in it outlives crashes, what is under way does not; a crash may take the JobMaster along,
 * whose numbers begin anew then.
 */
final class SimStorage {

    /** What is in a file, whole or not. */
    private static final class File {
        final TreeMap<Long, Integer> content;
        boolean whole;
        boolean damaged;

        File(TreeMap<Long, Integer> content) {
            this.content = content;
        }
    }

    /** A part on its way. */
    private record Part(Simulation.Pull of, String folder, String name) {}

    private final Simulation sim;

    /** By folder and name. */
    private final Map<String, Map<String, File>> folders = new TreeMap<>();

    private final Set<Integer> over = new TreeSet<>();

    /** Folders by subscale. */
    private final Map<Integer, String> ofSubscale = new HashMap<>();

    private int life;
    private int runs;

    /** The first number of a subscale in this life. */
    private int firstSubscale;

    private List<Part> writing = new ArrayList<>();
    private List<Part> reading = new ArrayList<>();
    private List<Part> removing = new ArrayList<>();

    SimStorage(Simulation sim) {
        this.sim = sim;
    }

    // ---- the JobMaster --------------------------------------------------------------------------

    /** A rescale begins. */
    int begin(List<Subscale> subscales) {
        int run = runs++;
        subscales.forEach(s -> ofSubscale.put(s.id(), folder(run)));
        return run;
    }

    /** A subscale moves back. */
    void back(int run, int subscale) {
        ofSubscale.put(subscale, folder(run));
    }

    private String folder(int run) {
        return new StorageFolder(nameOfLife(), run).name();
    }

    private String nameOfLife() {
        return sim.mutated(Mutation.FOLDER_OF_ANY_LIFE) ? "any" : "life" + life;
    }

    private Map<String, File> filesIn(String folder) {
        return folders.computeIfAbsent(folder, x -> new TreeMap<>());
    }

    /** A rescale is over: what is in its folder is being removed by those who have read it. */
    void end(int run) {
        for (String name : filesIn(folder(run)).keySet()) {
            check(
                    removing.stream().anyMatch(part -> part.name.equals(name)),
                    "storage: nobody removes " + name);
        }
        over.add(run);
        sweepSoon();
    }

    /**
     * All tasks are gone, and what they had under way.
     *
     * @param nextSubscale number of the next subscale
     */
    void crashed(boolean jobMasterToo, int nextSubscale) {
        writing = new ArrayList<>();
        reading = new ArrayList<>();
        removing = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            over.add(run);
        }
        if (jobMasterToo) {
            life++;
            runs = 0;
            over.clear();
            firstSubscale = nextSubscale;
        }
        if (!folders.isEmpty() && !sim.mutated(Mutation.NOT_SWEPT)) {
            sweepSoon();
        }
    }

    private void sweepSoon() {
        Set<Integer> known = new TreeSet<>(over);
        sim.tell("sweep " + known, () -> sweep(known));
    }

    private void sweep(Set<Integer> known) {
        for (String folder : List.copyOf(folders.keySet())) {
            if (StorageFolder.isLeft(folder, nameOfLife(), known)
                    || sim.mutated(Mutation.SWEPT_TOO_MUCH)) {
                if (!folders.remove(folder).isEmpty()) {
                    sim.saw("files that were left are removed");
                }
            }
        }
    }

    // ---- the old owner --------------------------------------------------------------------------

    /** Begins to write a part. */
    void write(Simulation.Pull pull, TreeMap<Long, Integer> content) {
        Bin bin = sim.mutated(Mutation.FILE_FOR_ALL_BINS) ? Bin.ALL : pull.bin();
        int subscale = pull.subscale().id();
        String folder = ofSubscale.get(subscale);
        StoredPart stored = new StoredPart(subscale - firstSubscale, pull.keyGroup(), bin);
        Part part = new Part(pull, folder, stored.fileName());
        Map<String, File> files = filesIn(folder);
        check(
                files.put(part.name, new File(content)) == null,
                "storage: there is a file " + folder + "/" + part.name + " already");
        if (sim.mutated(Mutation.ANNOUNCED_WHILE_WRITTEN)) {
            announce(part);
        } else {
            writing.add(part);
        }
    }

    int beingWritten() {
        return writing.size();
    }

    /** The file is closed. */
    void written(int x) {
        Part part = writing.remove(x);
        File file = filesIn(part.folder).get(part.name);
        file.whole = true;
        file.damaged = !file.content.isEmpty() && sim.mayCrash(0.05);
        if (file.damaged) {
            file.content.pollFirstEntry();
        }
        announce(part);
        if (sim.mutated(Mutation.FILE_REMOVED_WHEN_ANNOUNCED)) {
            filesIn(part.folder).remove(part.name);
        }
    }

    private void announce(Part part) {
        sim.tell("stored " + part, () -> reading.add(part));
    }

    // ---- the new owner --------------------------------------------------------------------------

    int beingRead() {
        return reading.size();
    }

    /** Reads a file that has been announced. */
    void read(int x, Function<Subscale, Queue<SimCopies.Bulk>> arrived) {
        Part part = reading.remove(x);
        sim.log(() -> "read " + part);
        if (!reading.isEmpty()) {
            sim.saw("several files to be read");
        }
        Map<String, File> files = filesIn(part.folder);
        File file = files.get(part.name);
        if (sim.mutated(Mutation.READS_ANOTHER_FILE) && files.size() > 1) {
            file = files.values().stream().filter(one -> one.whole).findFirst().orElse(file);
        }
        check(file != null, "storage: " + part.name + " is gone before it has been read");
        check(file.whole, "storage: " + part.name + " is read before all of it is there");
        if (file.damaged && !sim.mutated(Mutation.DAMAGE_UNSEEN)) {
            sim.saw("a damaged file");
            sim.crash();
            return;
        }
        Simulation.Pull of = part.of;
        arrived.apply(of.subscale())
                .add(
                        new SimCopies.Rest(
                                of.subscale(), of.keyGroup(), of.bin(), file.content, null));
        if (!sim.mutated(Mutation.FILE_KEPT_WHEN_READ)) {
            removing.add(part);
        }
    }

    int beingRemoved() {
        return removing.size();
    }

    /** Removes a file that has been read; the JobMaster may have been faster. */
    void remove(int x) {
        Part part = removing.remove(x);
        filesIn(part.folder).remove(part.name);
    }

    boolean isEmpty() {
        return writing.isEmpty()
                && reading.isEmpty()
                && removing.isEmpty()
                && folders.values().stream().allMatch(Map::isEmpty);
    }
}
