"""The support matrix says what the tests cover, no more and no less."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.features import MarkerError, Proof, check_feature
from harness.java_features import java_proofs
from harness.support_matrix import page

TESTS = Path(__file__).resolve().parents[1]


def proof(feature: str, **changed: object) -> Proof:
    values = {
        "refused": False, "test": "test_a.py: test_b", "pairs": (), "drawn": "", "backend": "hashmap",
        "checkpoints": "aligned", "short": True,
    } | changed  # fmt: skip
    return Proof(feature, **values)  # type: ignore[arg-type]


def test_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.support_matrix", "--check"],
        env=os.environ | {"PYTHONPATH": str(TESTS / "support")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_feature_has_a_row_with_the_pairs_of_all_its_tests() -> None:
    found = [
        proof("time: idle input", pairs=((2, 3), (3, 2))),
        proof("time: idle input", pairs=((3, 5), (2, 3)), short=False, checkpoints="unaligned", test="t.py: test_c"),
    ]
    assert (
        "| idle input | yes | 2→3, 3→2; + 3→5 | hashmap a+u | test_a.py: test_b<br>t.py: test_c (only in `make "
        "test-all`) |"
    ) in page(found)


def test_a_refusal_has_a_row_of_its_own() -> None:
    assert "| RESCALE edge | refused |  |  | test_a.py: test_b |" in page(
        [proof("job shapes: RESCALE edge", refused=True)]
    )


@pytest.mark.parametrize("feature", ["idle input", "colours: red", "time:idle", "time: "])
def test_a_feature_without_a_known_group_is_an_error(feature: str) -> None:
    with pytest.raises(MarkerError, match="must start with one of directions"):
        check_feature("a test", feature)


def test_annotations_of_java_tests_are_read(tmp_path: Path) -> None:
    (tmp_path / "OneITCase.java").write_text(
        '@ParameterizedTest\n@Covers(value = "job shapes: " + "two inputs", path = {2, 4, 3})\nvoid itHolds(int x) {}\n'
        '@Test @Refuses("state: rocksdb")\nvoid itIsRefused() {}\n'
    )
    (tmp_path / "TwoITCase.java").write_text(
        '@Covers("time: timers")\n@CsvSource({"2, 3, false", "4, 2, true"})\n'
        "void timersToo(int from, int to, boolean unaligned) {}\n"
    )
    one, other, *timers = java_proofs(tmp_path)
    assert [(proof.pairs, proof.checkpoints) for proof in timers] == [(((2, 3),), "aligned"), (((4, 2),), "unaligned")]
    assert (one.feature, one.pairs, one.test) == ("job shapes: two inputs", ((2, 4), (4, 3)), "OneITCase: itHolds")
    assert (other.feature, other.refused) == ("state: rocksdb", True)
