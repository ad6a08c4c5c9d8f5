"""One job of many SQL queries, and what each of them puts out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from drrs_jobs.waiting import await_until
from harness.cluster import ENDED
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster
from pyctl.errors import NotPlugged, Refused
from pyctl.follow import follow
from pyctl.model import Phase, Vertex

Changes = Sequence[str]


def per_key(changes: Changes) -> object:
    """The changes of each value of the first column, in their order."""
    keys: dict[str, list[str]] = {}
    for change in changes:
        keys.setdefault(change.split("|")[1], []).append(change)
    return keys


def rows(changes: Changes) -> object:
    """The changes, in any order: where one of two inputs comes first is open."""
    return Counter(changes)


def final(changes: Changes) -> object:
    """The rows that are there in the end: which changes lead there depends on the order of two inputs or keys."""
    table: Counter[str] = Counter()
    for change in changes:
        kind, _, row = change.partition("|")
        table[row] += 1 if kind in ("+I", "+U") else -1
    return +table


def latest(changes: Changes) -> object:
    """The same of upserts by the first column."""
    table: dict[str, str] = {}
    for change in changes:
        kind, key, *_ = change.split("|")
        if kind == "-D":
            table.pop(key, None)
        else:
            table[key] = change.partition("|")[2]
    return table


@dataclass(frozen=True)
class Query:
    """`operator` begins the name of the keyed operator that it is about.

    `judged` makes of its changes what has to be equal. `chained` is in the name of the operator's task; if empty, it is
    the one with the sink of the query.
    """

    name: str
    sql: str
    operator: str
    judged: Callable[[Changes], object] = per_key
    chained: str = ""

    def is_in(self, task: str) -> bool:
        """Whether the operator is in a task of this name."""
        if self.chained:
            return self.chained in task
        return bool(re.search(rf"-> (Sink: )?{self.name}(\[\d+\])?(: Writer|$)", task))


class SqlJob:
    """Such a job while it runs."""

    def __init__(self, cluster: OneJvmCluster, name: str, job_id: str) -> None:
        self.cluster = cluster
        self.name = name
        self.id = job_id

    def judged(self, query: Query) -> object:
        """What `query` has put out so far, as it is compared."""
        return query.judged(self.cluster.changes(self.name, query.name))

    def vertices(self, queries: Iterable[Query]) -> list[Vertex]:
        """The keyed vertices of the operators that the queries are about."""
        tasks = self.cluster.get(f"/jobs/{self.id}")["vertices"]
        known = {vertex.vertex_id: vertex for vertex in self.cluster.client.vertices(self.id).vertices}
        found = []
        for query in queries:
            (vertex,) = [known[task["id"]] for task in tasks if query.is_in(task["name"])]
            assert vertex.name.startswith(query.operator), vertex.name
            found.append(vertex)
        return found

    def rescale(self, vertices: Sequence[Vertex], parallelism: int) -> None:
        """All of them in one request, with a plan that asks the cluster nothing."""
        operators = [_moved(vertex, parallelism) for vertex in self._now(vertices)]
        answer = self.cluster.post(f"/jobs/{self.id}/drrs/rescales", {"operators": operators})
        assert answer.status_code == 202, answer.text
        *_, last = follow(
            self.cluster.client, self.id, answer.json()["request_id"], timeout_s=LIMIT_S, interval_s=0.2
        )  # fmt: skip
        assert last.phase is Phase.COMPLETED, f"{last.phase}: {last.reason}"

    def _now(self, vertices: Sequence[Vertex]) -> list[Vertex]:
        ids = {vertex.vertex_id for vertex in vertices}
        return [one for one in self.cluster.client.vertices(self.id).vertices if one.vertex_id in ids]

    def finish(self) -> None:
        """Let the rest of the bids come, and wait for the end."""
        self.cluster.release(self.name)
        await_until(lambda: self.cluster.state(self.id) in ENDED, f"the end of {self.name}", LIMIT_S)
        assert self.cluster.state(self.id) == "FINISHED"

    def await_vertices(self) -> None:
        """Wait until the job has a JobMaster."""

        def there() -> bool:
            try:
                self.cluster.rest.vertices(self.id)
            except (NotPlugged, Refused):
                return False
            return True

        await_until(there, "the vertices", LIMIT_S)

    def await_running(self) -> None:
        """Wait until all tasks run and a checkpoint has completed."""

        def there() -> bool:
            state = self.cluster.state(self.id)
            assert state not in ENDED | {"FAILING", "RESTARTING"}, state
            if state != "RUNNING":
                return False
            counts = self.cluster.get(f"/jobs/{self.id}/checkpoints").get("counts", {})
            return bool(counts.get("completed"))

        await_until(there, "a checkpoint", LIMIT_S)


def _moved(vertex: Vertex, parallelism: int) -> dict[str, object]:
    """To the subtasks 0 to n-1: key groups stay where they may, the others go to them in turn."""
    out = parallelism > len(vertex.active)
    placement = []
    moves: dict[tuple[int, int], list[int]] = {}
    for group, owner in enumerate(vertex.placement):
        share = group % parallelism
        moves_on = share not in vertex.active if out else owner >= parallelism
        placement.append(share if moves_on else owner)
        if moves_on:
            moves.setdefault((owner, share), []).append(group)
    return {
        "vertex": vertex.vertex_id,
        "parallelism": parallelism,
        "placement": placement,
        "subscales": [{"from": old, "to": new, "key_groups": groups} for (old, new), groups in moves.items()],
    }


@contextmanager
def sql_job(
    cluster: OneJvmCluster,
    name: str,
    statements: Sequence[str],
    queries: Sequence[Query],
    options: Mapping[str, str],
    *,
    bids: int,
    rate: int,
) -> Iterator[SqlJob]:
    """Submit it; it is cancelled at the end, if it still runs. Bids come at this rate until it is released."""
    given = {
        "name": name, "parallelism": "2", "bids": str(bids), "rate": str(rate), "checkpoint-ms": "500",
    }  # fmt: skip
    job_id = cluster.submit_sql(given, options, statements, {query.name: query.sql for query in queries})
    try:
        yield SqlJob(cluster, name, job_id)
    finally:
        cluster.end(job_id)
