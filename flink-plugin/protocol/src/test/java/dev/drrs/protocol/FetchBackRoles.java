package dev.drrs.protocol;

import dev.drrs.protocol.FetchBackParts.Clock;
import dev.drrs.protocol.FetchBackParts.Element;
import dev.drrs.protocol.FetchBackParts.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a {@link FetchBackOwner} knows of a subscale. */
final class FetchBackRoles {

    private FetchBackRoles() {}

    /** Of a subscale, at its old owner. */
    static final class Lending {
        final boolean[] confirmed;
        int confirms;

        /** What it had read of each channel at the first confirm. */
        int[] floor;

        /** The new owner's clock, as far as it is known here. */
        Clock told;

        /** Read from each channel since the beginning, for the bug that counts it here. */
        final List<List<Element>> read = new ArrayList<>();

        final Set<Integer> asked = new TreeSet<>();
        final Set<Integer> fetching = new TreeSet<>();

        /** It has not been said yet that timers up to there have fired. */
        boolean isNews;

        boolean gone;

        Lending(int channels) {
            confirmed = new boolean[channels];
            told = new Clock(channels);
            for (int u = 0; u < channels; u++) {
                read.add(new ArrayList<>());
            }
        }

        boolean begun() {
            return floor != null;
        }

        /** The clock is not one from before the first confirm. */
        boolean isKnown() {
            for (int u = 0; u < floor.length; u++) {
                if (told.taken[u] < floor[u]) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Of a subscale, at its new owner. */
    static final class Borrowing {
        final Clock clock;
        final boolean[] switched;
        final boolean[] confirmed;

        /** Event time behind a switch, before the confirm. */
        final List<ArrayDeque<Element>> aside = new ArrayList<>();

        final Set<Integer> asked = new TreeSet<>();
        final List<Message> later = new ArrayList<>();

        /** As far as the old owner has come; null before the first confirm. */
        Clock reached;

        int begun = -1;
        boolean all;

        Borrowing(int channels) {
            clock = new Clock(channels);
            switched = new boolean[channels];
            confirmed = new boolean[channels];
            for (int u = 0; u < channels; u++) {
                aside.add(new ArrayDeque<>());
            }
        }

        boolean isWaitedFor() {
            return !all && reached != null;
        }
    }
}
