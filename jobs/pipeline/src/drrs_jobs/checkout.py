"""Where in a checkout things are that were built."""

from __future__ import annotations

from pathlib import Path

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")
KAFKA_JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark-kafka.jar")
"""The same jobs with Flink's connector for Kafka."""


def find_job_jar(*, kafka: bool = False) -> Path:
    """Return the built job jar of the checkout around the working folder or around this file."""
    if kafka:
        return find_in_checkout(KAFKA_JOB_JAR, "`make kafka` builds it, or name it with --job-jar")
    return find_in_checkout(JOB_JAR, "build it with Maven, or name it with --job-jar")


def find_in_checkout(what: Path, how: str) -> Path:
    """Return a path of the checkout around the working folder or around this file.

    Raises ``FileNotFoundError`` that says ``how`` it comes to be there.
    """
    starts = (Path.cwd(), Path(__file__).resolve().parent)
    for folder in (folder for start in starts for folder in (start, *start.parents)):
        if (folder / what).exists():
            return (folder / what).resolve()
    raise FileNotFoundError(f"{what} is not there: {how}")
