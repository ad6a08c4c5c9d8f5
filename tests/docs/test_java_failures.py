"""What `make test` says last of Java tests that failed."""

from __future__ import annotations

from pathlib import Path

from harness.java_failures import failures

REPORT = """<testsuite>
  <testcase classname="dev.drrs.OneITCase" name="holds"/>
  <testcase classname="dev.drrs.OneITCase" name="counts">
    <failure message="&#10;expected: 2&#10; but was: 1">at</failure>
  </testcase>
  <testcase classname="dev.drrs.OneITCase" name="ends"><error>java.lang.IllegalStateException: no</error></testcase>
</testsuite>"""


def test_failures_of_unit_and_cluster_tests_are_named_with_what_was_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "dist" / "target" / "failsafe-reports"
    folder.mkdir(parents=True)
    (folder / "TEST-dev.drrs.OneITCase.xml").write_text(REPORT)
    assert list(failures(tmp_path)) == [
        "dev.drrs.OneITCase.counts: expected: 2 but was: 1",
        "dev.drrs.OneITCase.ends: java.lang.IllegalStateException: no",
    ]
