"""All queries: how their result records look, and what they are compared with."""

from __future__ import annotations

from drrs_jobs.reference.auction_ends import q4, q9
from drrs_jobs.reference.counts import count, event_timers, parity, processing_timers, rules, states
from drrs_jobs.reference.fan import fan, fan_attributes, fan_audit, fan_numbers
from drrs_jobs.reference.joins import q3, q13, q20, q23
from drrs_jobs.reference.model import Query
from drrs_jobs.reference.statistics import q15, q16, q17, q18, q19
from drrs_jobs.reference.synthetic import synthetic
from drrs_jobs.reference.windows import drrs_q7, drrs_q7_event, drrs_q8, drrs_q8_event, q5, q7, q8, q11, q12

_Q17_FIELDS = (
    "auction",
    "day",
    "total_bids",
    "rank1_bids",
    "rank2_bids",
    "rank3_bids",
    "min_price",
    "max_price",
    "avg_price",
    "sum_price",
)

_COUNTED = tuple(
    f"{of}_{what}" for what in ("bids", "bidders", "auctions") for of in ("total", "rank1", "rank2", "rank3")
)
_CHANNEL = ("channel", "day", "minute", *_COUNTED)
_WINDOW = ("window_start", "window_end")

QUERIES: dict[str, Query] = {
    query.name: query
    for query in (
        Query("count", ("key", "n", "sum"), ("key",), count, counter="n", where={"q": "count"}),
        Query("event-timers", ("key", "at", "n"), ("key",), event_timers, where={"q": "timer", "kind": "event"}),
        Query(
            "processing-timers",
            ("key", "n"),
            ("key",),
            processing_timers,
            counter="n",
            where={"q": "timer", "kind": "processing"},
        ),
        Query(
            "q5",
            ("auction", "num", "window_start", "window_end"),
            ("auction", "window_start"),
            q5,
            where={"q": "q5"},
        ),
        Query(
            "q11",
            ("bidder", "bid_count", "start_time", "end_time"),
            ("bidder", "start_time"),
            q11,
            where={"q": "q11"},
        ),
        Query("states", ("key", "n", "digest"), ("key",), states, counter="n", where={"q": "states"}),
        Query("fan", ("key", "at", "left", "right"), ("key", "at"), fan, where={"q": "fan"}),
        Query("fan-side", ("key", "n"), ("key", "n"), fan_numbers, where={"q": "fan-side"}),
        Query("fan-placed", ("key", "n"), ("key", "n"), fan_numbers, where={"q": "fan-placed"}),
        Query("fan-audit", ("key", "at"), ("key", "at"), fan_audit, where={"q": "fan-audit"}),
        Query(
            "fan-attributes",
            ("subtask", "n", "backlog"),
            ("subtask", "n"),
            fan_attributes,
            where={"q": "fan-attributes"},
        ),
        Query("many", ("key", "n", "sum"), ("key",), count, counter="n", where={"q": "many"}),
        Query("rules", ("key", "n", "shown", "rules", "sum"), ("key",), rules, where={"q": "rules"}),
        Query("parity", ("key", "n"), ("key",), parity, counter="n", where={"q": "parity"}),
        Query("q17", _Q17_FIELDS, ("auction", "day"), q17, counter="total_bids", where={"q": "q17"}),
        Query("synthetic", ("key", "n", "sum"), ("key",), synthetic, counter="n", where={"q": "synthetic"}),
        Query("q3", ("name", "city", "state", "id"), ("id",), q3, where={"q": "q3"}),
        Query("q4", ("category", "n", "avg"), ("category",), q4, counter="n", where={"q": "q4"}),
        Query("q7", ("auction", "bidder", "price", "at", "window_end"), ("window_end",), q7, where={"q": "q7"}),
        Query("q8", ("id", "name", "window_start"), ("id", "window_start"), q8, where={"q": "q8"}),
        Query(
            "q9",
            ("auction", "seller", "category", "expires", "bidder", "price", "at"),
            ("auction",),
            q9,
            where={"q": "q9"},
        ),
        Query(
            "q12",
            ("bidder", "bid_count", "start_time", "end_time"),
            ("bidder",),
            q12,
            where={"q": "q12"},
            folds={"bid_count": "sum"},
            once=("bidder", "start_time"),
        ),
        Query("q13", ("auction", "bidder", "price", "at", "value"), ("auction",), q13, where={"q": "q13"}),
        Query("q15", _CHANNEL, ("channel", "day"), q15, counter="total_bids", where={"q": "q15"}),
        Query("q16", _CHANNEL, ("channel", "day"), q16, counter="total_bids", where={"q": "q16"}),
        Query(
            "q18",
            ("bidder", "auction", "n", "price", "at"),
            ("bidder", "auction"),
            q18,
            counter="n",
            where={"q": "q18"},
        ),
        Query("q19", ("auction", "n", "top"), ("auction",), q19, counter="n", where={"q": "q19"}),
        Query(
            "q20",
            ("auction", "bidder", "price", "at", "initial_bid", "reserve", "expires", "seller"),
            ("auction",),
            q20,
            where={"q": "q20"},
        ),
        Query(
            "q23",
            ("bidder", "price", "at", "name", "city", "state", "auction", "category", "expires"),
            ("bidder",),
            q23,
            where={"q": "q23"},
        ),
        Query(
            "drrs-q7",
            ("bidder", "price", "bids", *_WINDOW),
            ("bidder",),
            drrs_q7,
            where={"q": "drrs-q7"},
            folds={"price": "max", "bids": "sum"},
            once=("bidder", "window_start"),
        ),
        Query(
            "drrs-q7-event",
            ("bidder", "price", "bids", *_WINDOW),
            ("bidder", "window_start"),
            drrs_q7_event,
            where={"q": "drrs-q7-event"},
        ),
        Query(
            "drrs-q8",
            ("person", "persons", "auctions", "pairs", *_WINDOW),
            ("person",),
            drrs_q8,
            where={"q": "drrs-q8"},
            folds={"persons": "sum", "auctions": "sum"},
            once=("person", "window_start"),
        ),
        Query(
            "drrs-q8-event",
            ("person", "persons", "auctions", "pairs", *_WINDOW),
            ("person", "window_start"),
            drrs_q8_event,
            where={"q": "drrs-q8-event"},
        ),
    )
}
