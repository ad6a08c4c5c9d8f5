package dev.drrs.runtime.rehearsal;

/** One thing that is rehearsed. Its state is its own: it reaches for nothing of a job. */
public interface RehearsalPart {

    /**
     * Runs it once, in the rehearsal's thread; what it has opened is closed again, however it ends.
     *
     * @return what was done, for the log, as "120 classes"
     * @throws RehearsalEndedException if it is not to go on
     * @throws Exception if something that a rescale will need does not work
     */
    String run(Stage stage) throws Exception;
}
