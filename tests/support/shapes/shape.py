"""What is drawn: a job, and what is done to it while it runs. All of it is JSON, so that a case can be had again."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Origin(_Part):
    """A source; see `Shape.java`, which has the same fields."""

    splits: int = 1
    readers: int = 1
    events: int = 1_500
    rate: int = 400
    lag: int = 0
    brief: bool = False
    idle: bool = False


class Time(_Part):
    """Event time."""

    marks: Literal["none", "periodic", "punctuated"] = "periodic"
    bound: int = 30
    late: bool = False


class Keys(_Part):
    """The keys of all events."""

    type: str = "long"
    count: int = 40
    hot: int = 0
    together: bool = False
    shared: bool = False
    apart: bool = False


class Checkpoints(_Part):
    """Checkpoints; `interval` 0: none."""

    interval: int = 200
    once: bool = True
    unaligned: bool = False
    concurrent: int = 1


class Branch(_Part):
    """A head and what is behind it."""

    head: str
    second: str = "none"
    chained: tuple[str, ...] = ()
    follower: str = "none"
    sink: str = "kept"
    writers: int = 0

    @property
    def ordered(self) -> bool:
        """Whether stock Flink keeps the order of a key's results on their way to where branches meet."""
        return "async-unordered" not in self.chained and self.follower not in {"rebalance", "shuffle", "rescale"}

    @property
    def keeps_order(self) -> bool:
        """Whether the sink does."""
        return self.writers < 2 and self.sink != "files"


class Step(_Part):
    """Something that is done to the running job.

    `rescale`: the operators with the indexes `of` among the shape's heads get parallelisms `to`, one request after the
    other; `together`: in one request; `at once`: with several requests at the same time. `abort` and `fail` are a
    rescale that is withdrawn, or in which a task fails, as soon as it is in `phase`. `crash`: a task fails while
    nothing is rescaled. `savepoint`: stop, and go on with these parallelisms. `plan`: 0 is that of `pyctl`, another
    number draws a placement. `checkpoint`: ask for one first.
    """

    kind: Literal["rescale", "together", "at once", "abort", "fail", "crash", "savepoint"]
    of: tuple[int, ...] = (0,)
    to: tuple[int, ...] = (2,)
    plan: int = 0
    phase: str = "PLANNED"
    checkpoint: bool = False


class Shape(_Part):
    """A job and a walk, by one of the live strategies.

    `refusal`: a part of the reason for which the first head is refused; if empty, it is not.
    """

    seed: int = 1
    sources: tuple[Origin, ...] = (Origin(),)
    time: Time = Time()
    keys: Keys = Keys()
    maximum: int = 64
    parallelism: int = 2
    reuse: bool = False
    timeout: int = 5
    checkpoints: Checkpoints = Checkpoints()
    branches: tuple[Branch, ...]
    meeting: bool = False
    slow: int = 0
    options: dict[str, str] = {}
    strategy: str = "drrs"
    walk: tuple[Step, ...] = ()
    refusal: str = ""

    def heads(self) -> list[str]:
        """The uids of the operators that are rescaled."""
        uids = []
        for index, branch in enumerate(self.branches):
            uids.append(f"head{index}")
            if branch.second != "none":
                uids.append(f"head{index}-second")
        return uids

    def ordered(self, index: int) -> bool:
        """Whether stock Flink keeps the order of a key's results on their way from this branch to its sink."""
        sink = self.branches[0] if self.meeting else self.branches[index]
        return self.branches[index].ordered and sink.keeps_order

    def fails(self) -> bool:
        """Whether a task is made to fail."""
        return any(step.kind in {"fail", "crash"} for step in self.walk)
