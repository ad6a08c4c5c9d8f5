"""How a job was submitted, as a file says it: Flink does not keep that.

```json
{"jar": "job.jar", "entry_class": null,
 "arguments": ["--input", "bids", "--parallelism", "{parallelism:running count}"],
 "options": {"execution.checkpointing.interval": "10 s"}}
```
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pyctl.errors import UsageError

_PLACE = re.compile(r"\{parallelism(?::([^{}]+))?\}")


class Submission(BaseModel):
    """What a job is started from; `{parallelism:OPERATOR}` stands for the parallelism of an operator.

    `{parallelism}` alone is that of the operator to be rescaled, where that is one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jar: Path | None = None
    """The jar on this machine, to be uploaded; relative to the file's folder."""
    jar_id: str | None = None
    """Or the id of one that the JobManager has already."""
    entry_class: str | None = None
    """None: the one that the jar's manifest names."""
    arguments: list[str] = Field()
    options: dict[str, str] = Field()
    """Flink's, for this job, as `-D` of `flink run`."""

    @model_validator(mode="after")
    def _one_jar(self) -> Submission:
        if (self.jar is None) == (self.jar_id is None):
            raise ValueError("give either jar, a path, or jar_id, the id of an uploaded one")
        return self


@dataclass(frozen=True)
class Program:
    """A submission with numbers in it."""

    arguments: tuple[str, ...]
    options: dict[str, str]
    entry_class: str | None


def read(file: Path) -> Submission:
    """The submission in a file. Raises UsageError that names what is missing or wrong."""
    try:
        found = Submission.model_validate_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"The submission {file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"The submission {file} is not a text in UTF-8.") from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in error.errors())
        raise UsageError(f"The submission {file} does not say how to start the job: {wrong}.") from error
    if found.jar is None:
        return found
    jar = file.parent / found.jar
    if not jar.is_file():
        raise UsageError(f"The jar {jar} of the submission {file} is not there.")
    return found.model_copy(update={"jar": jar})


def program(submission: Submission, parallelism: Callable[[str | None], int]) -> Program:
    """The submission with these numbers."""

    def filled(text: str) -> str:
        return _PLACE.sub(lambda match: str(parallelism(match[1])), text)

    return Program(
        tuple(map(filled, submission.arguments)),
        {key: filled(value) for key, value in submission.options.items()},
        submission.entry_class,
    )
