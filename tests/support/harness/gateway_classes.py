"""Compiles what the tests run inside a cluster in one JVM; `make tested` does it, once for all clusters of a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.cluster import JOB_JAR, ROOT, TESTED
from pyctl.flink_home import FlinkHome, find_flink_home, find_java

SOURCES = ROOT / "tests/gateway/java"
CLASSES = TESTED / "classes"
_LINT = "-Xlint:all,-path,-classfile,-processing,-serial,-try"


def class_path(home: FlinkHome) -> list[Path]:
    """The jars that they are compiled against and run with."""
    return [*sorted(home.lib.glob("*.jar")), JOB_JAR, *TESTED.glob("drrs-api-*.jar")]


def main() -> int:
    """Compile all of it anew; warnings are errors. Returns the compiler's exit code."""
    shutil.rmtree(CLASSES, ignore_errors=True)
    jars = os.pathsep.join(map(str, class_path(find_flink_home())))
    javac = str(find_java().with_name("javac"))
    sources = map(str, sorted(SOURCES.rglob("*.java")))
    arguments = [javac, _LINT, "-Werror", "--release", "17", "-cp", jars, "-d", str(CLASSES), *sources]
    return subprocess.run(arguments, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
