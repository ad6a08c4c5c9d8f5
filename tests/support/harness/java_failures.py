"""The Java tests that failed last, by name: Maven says it in the middle of what runs beside it.

`python -m harness.java_failures`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[3]


def failures(root: Path) -> Iterator[str]:
    """`class.method: first line of what was wrong`, from the reports of Surefire and Failsafe below `root`."""
    for report in sorted(root.glob("**/target/*-reports/TEST-*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            for wrong in (*case.iterfind("failure"), *case.iterfind("error")):
                said = (wrong.get("message") or wrong.text or "").strip().splitlines() or ["no message"]
                yield f"{case.get('classname')}.{case.get('name')}: {' '.join(line.strip() for line in said)[:500]}"


def main() -> None:
    for line in failures(ROOT):
        sys.stdout.write(f"FAILED (Java) {line}\n")


if __name__ == "__main__":
    main()
