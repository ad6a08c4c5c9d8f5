"""What the plug-in's MiniCluster tests prove: annotations `@Covers` and `@Refuses`, read from the sources.

The pairs of parallelisms are those of the annotation's `path`, or of a `@CsvSource` below it for a method whose first
parameters are `int from, int to`; a third one, `boolean unaligned`, is read as well.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from harness.features import MarkerError, Proof, check_feature

_ANNOTATION = re.compile(r'@(Covers|Refuses)\(((?:[^)"]|"[^"]*")*)\)')
_TEXT = re.compile(r'"([^"]*)"')
_PATH = re.compile(r"path\s*=\s*\{([\d,\s]*)\}")
_CASES = re.compile(r"@CsvSource\(\{([^}]*)\}\)")
_METHOD = re.compile(r"\bvoid\s+(\w+)\s*\(([^)]*)\)")


def java_proofs(folder: Path) -> list[Proof]:
    """What all test classes below a folder prove; raises MarkerError."""
    return [proof for source in sorted(folder.rglob("*ITCase.java")) for proof in _of_class(source)]


def _of_class(source: Path) -> list[Proof]:
    text = source.read_text()
    found = []
    for annotation in _ANNOTATION.finditer(text):
        kind, arguments = annotation.groups()
        method = _METHOD.search(text, annotation.end())
        if method is None:
            raise MarkerError(f"{source.name}: @{kind} is not above a test.")
        test = f"{source.stem}: {method.group(1)}"
        # A feature may be given in pieces, for the length of a line.
        feature = "".join(_TEXT.findall(arguments))
        check_feature(test, feature)
        cases = _cases(text[annotation.end() : method.start()], method.group(2)) or [(_path(arguments), False)]
        found += [
            Proof(
                feature, kind == "Refuses", test, tuple(pairwise(path)), "", "hashmap",
                "unaligned" if unaligned else "aligned", short=True,
            )
            for path, unaligned in cases
        ]  # fmt: skip
    return found


def _path(arguments: str) -> list[int]:
    path = _PATH.search(arguments)
    return [int(number) for number in path.group(1).split(",")] if path else []


def _cases(between: str, parameters: str) -> list[tuple[list[int], bool]]:
    cases = _CASES.search(between)
    if cases is None or not re.match(r"\s*int from,\s*int to\b", parameters):
        return []
    rows = [[word.strip() for word in row.split(",")] for row in _TEXT.findall(cases.group(1))]
    return [([int(row[0]), int(row[1])], "true" in row[2:] and "boolean unaligned" in parameters) for row in rows]
