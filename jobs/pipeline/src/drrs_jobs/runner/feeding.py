"""What writes the events of a run to Kafka while it goes on: a process of its own, with Spark in it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from drrs_jobs.children import end_child
from drrs_jobs.kafka_replay import Opening, Topic
from drrs_jobs.replay import Replay

_END_S = 30.0


@dataclass(slots=True)
class Feeding:
    """Writes a data set to a topic that is there already. Its processes are a session, so that they can be told."""

    topic: Topic
    process: subprocess.Popen[bytes]
    output: Path

    @classmethod
    def begin(cls, topic: Topic, replay: Replay, output: Path, opening: Opening | None = None) -> Self:
        """Start it; ``output`` takes what it says."""
        given: dict[str, object] = {
            "kafka": topic.kafka, "topic": topic.name, "events": replay.events, "parts": replay.parts,
            "rate": replay.rate, "mode": replay.mode, "seed": replay.seed, "preload-keys": replay.preload_keys,
        }  # fmt: skip
        if opening is not None:
            given |= {"opening-file": opening.file, "wait-from": opening.wait_from}
        command = [sys.executable, "-m", "drrs_jobs.kafka_replay", "--stay"]
        command += [str(word) for name, value in given.items() for word in (f"--{name}", value)]
        with output.open("wb") as out:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True
            )  # fmt: skip
        return cls(topic, process, output)

    @property
    def session(self) -> int:
        """Number of the session that its processes are in."""
        return self.process.pid

    def check(self) -> None:
        """Raise ``RuntimeError`` if it has ended: it stays until it is told to."""
        if self.process.poll() is not None:
            raise RuntimeError(f"what writes to the topic {self.topic.name} has ended, see {self.output}")

    def end(self) -> None:
        """Let it end, whether it has written all or not."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        end_child(self.process, _END_S)
