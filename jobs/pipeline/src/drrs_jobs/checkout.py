"""Where in a checkout things are that were built."""

from __future__ import annotations

from pathlib import Path

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")


def find_job_jar() -> Path:
    """Return the built job jar of the checkout around the working folder or around this file."""
    starts = (Path.cwd(), Path(__file__).resolve().parent)
    for folder in (folder for start in starts for folder in (start, *start.parents)):
        if (folder / JOB_JAR).is_file():
            return (folder / JOB_JAR).resolve()
    raise FileNotFoundError(f"{JOB_JAR} is not there: build it with Maven, or name it with --jar")
