package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import dev.drrs.nexmark.generator.Event.Preload;
import dev.drrs.nexmark.types.ValueSerializer;
import dev.drrs.nexmark.types.ValueType;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** One byte for the kind, then the fields in their order. */
public final class ScheduledEventSerializer extends ValueSerializer<ScheduledEvent> {

    public static final ScheduledEventSerializer INSTANCE = new ScheduledEventSerializer();
    public static final TypeInformation<ScheduledEvent> TYPE =
            new ValueType<>(ScheduledEvent.class, INSTANCE);

    private static final int PERSON = 'p';
    private static final int AUCTION = 'a';
    private static final int BID = 'b';
    private static final int PRELOAD = 'l';

    @Override
    public void serialize(ScheduledEvent record, DataOutputView target) throws IOException {
        Event event = record.event();
        if (event instanceof Preload preload) {
            target.writeByte(PRELOAD);
            target.writeLong(preload.key());
            target.writeLong(preload.timestamp());
            return;
        }
        target.writeByte(event instanceof Bid ? BID : event instanceof Auction ? AUCTION : PERSON);
        target.writeLong(record.scheduleMs());
        target.writeLong(event.number());
        target.writeLong(event.offsetMs());
        target.writeLong(event.timestamp());
        if (event instanceof Bid bid) {
            target.writeLong(bid.auction());
            target.writeLong(bid.bidder());
            target.writeLong(bid.price());
        } else if (event instanceof Auction auction) {
            target.writeLong(auction.id());
            target.writeLong(auction.initialBid());
            target.writeLong(auction.reserve());
            target.writeLong(auction.expires());
            target.writeLong(auction.seller());
            target.writeLong(auction.category());
        } else {
            Person person = (Person) event;
            target.writeLong(person.id());
            target.writeUTF(person.name());
            target.writeUTF(person.city());
            target.writeUTF(person.state());
        }
    }

    @Override
    public ScheduledEvent deserialize(DataInputView source) throws IOException {
        int kind = source.readByte();
        if (kind == PRELOAD) {
            return new ScheduledEvent(
                    ScheduledEvent.NONE, new Preload(source.readLong(), source.readLong()));
        }
        long schedule = source.readLong();
        long number = source.readLong();
        long offset = source.readLong();
        long timestamp = source.readLong();
        Event event =
                switch (kind) {
                    case BID ->
                            new Bid(
                                    number,
                                    offset,
                                    timestamp,
                                    source.readLong(),
                                    source.readLong(),
                                    source.readLong());
                    case AUCTION ->
                            new Auction(
                                    number,
                                    offset,
                                    timestamp,
                                    source.readLong(),
                                    source.readLong(),
                                    source.readLong(),
                                    source.readLong(),
                                    source.readLong(),
                                    source.readLong());
                    case PERSON ->
                            new Person(
                                    number,
                                    offset,
                                    timestamp,
                                    source.readLong(),
                                    source.readUTF(),
                                    source.readUTF(),
                                    source.readUTF());
                    default -> throw new IOException("Not the kind of an event: " + kind);
                };
        return new ScheduledEvent(schedule, event);
    }

    @Override
    public TypeSerializerSnapshot<ScheduledEvent> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Needed by Flink to find the serializer again in a savepoint. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<ScheduledEvent> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
