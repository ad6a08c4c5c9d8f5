package dev.drrs.runtime.state.sorted;

import dev.drrs.runtime.state.IncomingKeyGroup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A key group on its way in. One transfer thread, then the mailbox. */
final class SortedArrival implements IncomingKeyGroup {

    private final SortedState into;
    private final int subscale;
    private final int keyGroup;
    private final NavigableMap<Integer, Long> numbers = new TreeMap<>();
    private final List<SortedKeyGroups.Timer> timers = new ArrayList<>();
    private boolean complete;

    SortedArrival(SortedState into, int subscale, int keyGroup) {
        this.into = into;
        this.subscale = subscale;
        this.keyGroup = keyGroup;
    }

    @Override
    public int subscale() {
        return subscale;
    }

    @Override
    public int keyGroup() {
        return keyGroup;
    }

    @Override
    public boolean add(ByteBuffer chunk) throws IOException {
        byte kind = chunk.get();
        int key = chunk.getInt();
        long value = chunk.getLong();
        switch (kind) {
            case SortedKeyGroups.NUMBER -> numbers.put(key, value);
            case SortedKeyGroups.TIMER -> timers.add(new SortedKeyGroups.Timer(key, value));
            case SortedKeyGroups.END -> complete = true;
            default -> throw new IOException("a chunk of kind " + kind);
        }
        return complete;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public long entries() {
        return numbers.size() + timers.size();
    }

    @Override
    public void install() {
        if (!complete) {
            throw new IllegalStateException("Key group " + keyGroup + " is not complete.");
        }
        into.install(keyGroup, numbers, timers);
    }
}
