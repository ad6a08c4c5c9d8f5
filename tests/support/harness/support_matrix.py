"""`docs/support-matrix.md`, made from what the collected tests cover.

python -m harness.support_matrix            # write it (`make docs`)
python -m harness.support_matrix --check    # exit code 1 if it is out of date
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from harness.features import GROUPS, Proof, proofs
from harness.java_features import java_proofs

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/support-matrix.md"
JAVA = ROOT / "flink-plugin/dist/src/test/java"

HEAD = """\
# Support matrix

What holds on stock Flink 2.3.0, and the tests that prove it: on clusters of several processes or in one JVM, the
output compared with a reference, row by row. What is not here no such test has tried.

<!-- Generated from the markers of the tests (tests/README.md); `make docs` writes it. -->

- **yes**: the output is exact. **refused**: turned down by name before anything is touched.
- *Parallelisms*: the pairs that `make test` goes through; after `+` those that only `make test-all` adds. Where there
  is none, the test does not go from one parallelism to another.
- *State, checkpoints*: state backend, and whether barriers are aligned (a) or unaligned (u).
"""
TABLE = """
## {title}

| feature | | parallelisms | state, checkpoints | tests |
|---|---|---|---|---|
"""


class _Collected:
    """Keeps what pytest has collected."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def collect() -> list[Proof]:
    """What all tests prove, those of the whole matrix too; raises RuntimeError if they cannot be collected."""
    collected = _Collected()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main(
            ["--collect-only", "-q", "-m", "", "-p", "no:cacheprovider", str(ROOT / "tests")], plugins=[collected]
        )
    if code != pytest.ExitCode.OK:
        raise RuntimeError(f"The tests cannot be collected:\n{output.getvalue()[-3000:]}")
    return proofs(collected.items) + java_proofs(JAVA)


def page(found: Iterable[Proof]) -> str:
    """The whole page."""
    by_feature: dict[tuple[str, bool], list[Proof]] = {}
    for proof in found:
        by_feature.setdefault((proof.feature, proof.refused), []).append(proof)
    text = HEAD
    for group in GROUPS:
        rows = [
            _row(feature.partition(": ")[2], refused, by_feature[feature, refused])
            for feature, refused in sorted(by_feature, key=lambda one: (one[1], one[0]))
            if feature.startswith(f"{group}: ")
        ]
        if rows:
            text += TABLE.format(title=group.capitalize()) + "".join(rows)
    return text


def _row(name: str, refused: bool, found: Sequence[Proof]) -> str:
    tests = sorted({proof.test for proof in found if proof.short}) + [
        f"{test} (only in `make test-all`)"
        for test in sorted({proof.test for proof in found} - {proof.test for proof in found if proof.short})
    ]
    answer = "refused" if refused else "yes"
    modes = "" if refused else _modes(found)
    return f"| {name} | {answer} | {_parallelisms(found)} | {modes} | {'<br>'.join(tests)} |\n"


def _parallelisms(found: Sequence[Proof]) -> str:
    short = {pair for proof in found if proof.short for pair in proof.pairs}
    more = {pair for proof in found for pair in proof.pairs} - short
    drawn = sorted({proof.drawn for proof in found if proof.drawn})
    parts = [_pairs(short), f"+ {_pairs(more)}" if more else "", *drawn]
    return "; ".join(filter(None, parts))


def _pairs(pairs: Iterable[tuple[int, int]]) -> str:
    # Out before in, as the pairs are usually read.
    ordered = sorted(pairs, key=lambda pair: (pair[0] > pair[1], pair))
    return ", ".join(f"{before}→{after}" for before, after in ordered)


def _modes(found: Sequence[Proof]) -> str:
    backends = sorted({proof.backend for proof in found})
    return ", ".join(
        f"{backend} {'+'.join(sorted({proof.checkpoints[0] for proof in found if proof.backend == backend}))}"
        for backend in backends
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the page is out of date")
    check = parser.parse_args(arguments).check
    wanted = page(collect())
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date: make docs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
