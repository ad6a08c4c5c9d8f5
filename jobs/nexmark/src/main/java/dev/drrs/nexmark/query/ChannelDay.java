package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;

/** Channel and UTC day of a bid. */
enum ChannelDay implements KeySelector<ScheduledEvent, Tuple2<String, String>> {
    /** All channels as one: one key a day. */
    ALL {
        @Override
        String channel(long number) {
            return "";
        }
    },
    EACH {
        @Override
        String channel(long number) {
            return Channels.of(number);
        }
    };

    static final TypeInformation<Tuple2<String, String>> TYPE =
            Types.TUPLE(Types.STRING, Types.STRING);

    abstract String channel(long number);

    @Override
    public Tuple2<String, String> getKey(ScheduledEvent bid) {
        LocalDate day =
                LocalDate.ofInstant(Instant.ofEpochMilli(bid.bid().timestamp()), ZoneOffset.UTC);
        return Tuple2.of(channel(bid.bid().number()), day.toString());
    }
}
