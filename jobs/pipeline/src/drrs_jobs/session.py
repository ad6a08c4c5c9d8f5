"""The one place that makes a Spark session; the transforms take a session or a DataFrame and never make one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

CORES = 2
_LOCAL: dict[str, bool | float | int | str | None] = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def spark_session(
    name: str,
    cores: int = CORES,
    driver_memory: str = "1g",
    *,
    small_data: bool = False,
    master: str | None = None,
) -> SparkSession:
    """Return a session, local with ``cores`` workers unless there is a ``master``, with no UI and quiet logs.

    ``small_data`` is for some hundred thousand rows: there compiling costs more than it saves.
    The memory is only honoured by the first session of a process, since it is fixed when the JVM starts.
    """
    # Workers must run the interpreter of this environment, whatever `python3` is on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    log4j = Path(__file__).with_name("log4j2.properties")
    jvm = f"-Dlog4j2.configurationFile={log4j.as_uri()}" + (
        " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC" if small_data else ""
    )
    return (
        SparkSession.builder.master(master or f"local[{cores}]")
        .appName(name)
        .config("spark.driver.memory", driver_memory)
        .config(map=_LOCAL if master is None or master.startswith("local") else {})
        # The workers unpickle functions by the name of their module, also where the package is not installed.
        .config("spark.executorEnv.PYTHONPATH", str(Path(__file__).parents[1]))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", jvm)
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.shuffle.partitions", "1" if small_data else str(2 * cores))
        .config("spark.sql.codegen.wholeStage", str(not small_data).lower())
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN" if small_data else "FALLBACK")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.adaptive.enabled", str(not small_data).lower())
        .getOrCreate()
    )
