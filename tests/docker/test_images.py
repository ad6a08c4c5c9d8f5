"""The images: made from sources of the repository alone, on bases that a build argument can replace."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from fnmatch import fnmatch

import pytest

from harness import compose
from harness.cluster import ROOT

STAGES = compose.stages()
POM = "{http://maven.apache.org/POM/4.0.0}"
FROM_THE_CONTEXT = sorted({source for one in STAGES.values() for c in one.copies if not c.of for source in c.sources})


def in_the_context(path: str) -> bool:
    """Whether `.dockerignore` leaves a path: the last line that fits it, or a folder of it, decides."""
    left = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = path.split("/")
        beginnings = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        if "**/" in line:
            beginnings += ["/".join(parts[start : end + 1]) for end in range(len(parts)) for start in range(end + 1)]
        if line and not line.startswith("#") and any(fnmatch(beginning, pattern) for beginning in beginnings):
            left = line.startswith("!")
    return left


def is_built(path: str) -> bool:
    """Whether the Maven module before `target/` makes a jar of this name."""
    module, target, jar = path.removeprefix("/src/").rpartition("/target/")
    pom = ROOT / module / "pom.xml"
    if not target or not pom.is_file():
        return False
    root = ElementTree.parse(pom).getroot()
    shaded = [one.text for one in root.iter(f"{POM}outputFile")]
    return f"${{project.build.directory}}/{jar}" in shaded or root.findtext(
        f"{POM}build/{POM}finalName"
    ) == jar.removesuffix(".jar")


def test_each_service_that_is_built_names_a_stage() -> None:
    services = compose.compose()["services"]
    builds = {name: one["build"] for name, one in services.items() if "build" in one}
    assert {one["target"] for one in builds.values()} == {"flink", "pyctl", "bench"}
    for build in builds.values():
        assert (ROOT / build["context"]).resolve() == ROOT
        assert ROOT / build["dockerfile"] == compose.DOCKERFILE
        assert build["target"] in STAGES


def test_each_base_is_a_build_argument_with_the_same_default_in_both_files() -> None:
    defaults = compose.base_images()
    for stage in STAGES.values():
        argument = re.fullmatch(r"\$\{(\w+)\}", stage.base)
        assert stage.base in STAGES or (argument and argument[1] in defaults), stage.base
    for service in compose.compose()["services"].values():
        if "build" in service:
            assert {name: compose.default_of(text) for name, text in service["build"]["args"].items()} == defaults


def test_flink_is_the_version_that_the_plugin_is_made_for() -> None:
    pom = ElementTree.parse(ROOT / "flink-plugin/pom.xml").getroot()
    version = pom.findtext(f"{POM}properties/{POM}flink.version")
    assert compose.base_images()["FLINK_IMAGE"] == f"flink:{version}-java17"


def test_the_image_of_flink_has_two_jars_a_script_and_a_folder_more_and_nothing_else() -> None:
    stage = STAGES["flink"]
    assert [copy.destination for copy in stage.copies] == [
        "/opt/flink/lib/drrs-flink-plugin.jar", "/opt/flink/jobs/drrs-nexmark.jar", "/opt/flink/jobs/submit-demo.sh",
    ]  # fmt: skip
    assert [text for word, text in stage.instructions if word != "COPY"] == ["mkdir -p /opt/flink/data/history"]


def test_each_copied_file_comes_from_the_context_or_from_a_stage_that_makes_it() -> None:
    copies = [copy for stage in STAGES.values() for copy in stage.copies]
    assert {copy.of for copy in copies} - {None} <= set(STAGES)
    jars = [source for copy in copies if copy.of == "jars" for source in copy.sources]
    assert jars
    assert all(is_built(jar) for jar in jars)


@pytest.mark.parametrize("source", FROM_THE_CONTEXT)
def test_each_file_from_the_context_is_in_the_repository_and_in_the_context(source: str) -> None:
    assert (ROOT / source).exists()
    assert in_the_context(source)


def test_the_context_has_no_tests_and_nothing_that_was_built() -> None:
    for path in (
        "flink-plugin/dist/target/drrs-flink-plugin.jar", "pyctl/tests/test_client.py", ".venv/bin/python", "build/x",
        "flink-plugin/runtime/src/test/java/A.java", "jobs/pipeline/src/drrs_jobs/__pycache__/a.pyc", ".git/config",
    ):  # fmt: skip
        assert not in_the_context(path), path
    assert in_the_context("flink-plugin/runtime/src/main/java/A.java")


def test_what_a_service_starts_can_be_executed() -> None:
    for script in ("docker/bench.sh", "docker/submit-demo.sh"):
        assert (ROOT / script).stat().st_mode & 0o111, script


def test_the_bench_has_the_user_number_of_the_image_of_flink() -> None:
    # Both write on one volume; the official image has user and group 9999.
    assert "useradd --uid 9999" in " ".join(text for word, text in STAGES["bench"].instructions if word == "RUN")
