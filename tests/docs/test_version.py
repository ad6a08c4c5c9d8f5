"""One version for the plug-in, `pyctl` and the jobs: it stands in `flink-plugin/pom.xml`, the others read it there."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from xml.etree import ElementTree

import pytest

from harness.cluster import ROOT

POM = {"m": "http://maven.apache.org/POM/4.0.0"}
POMS = sorted([*ROOT.glob("flink-plugin/*/pom.xml"), *ROOT.glob("jobs/*/pom.xml")])


def revision() -> str:
    found = ElementTree.parse(ROOT / "flink-plugin/pom.xml").findtext("m:properties/m:revision", namespaces=POM)
    assert found
    return found


@pytest.mark.parametrize("package", ["pyctl", "drrs-jobs"])
def test_an_installed_package_has_the_version_of_the_plug_in(package: str) -> None:
    assert metadata.version(package) == revision()


@pytest.mark.parametrize("project", ["pyctl", "jobs/pipeline"])
def test_a_package_has_no_version_of_its_own(project: str) -> None:
    told = tomllib.loads((ROOT / project / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in told["project"]
    source = told["tool"]["hatch"]["version"]
    pom = (ROOT / project / source["path"]).resolve()
    assert pom == ROOT / "flink-plugin/pom.xml"
    assert re.findall(source["pattern"], pom.read_text(encoding="utf-8")) == [revision()]


@pytest.mark.parametrize("pom", POMS, ids=lambda pom: str(pom.parent.relative_to(ROOT)))
def test_a_module_has_the_version_of_its_parent(pom: object) -> None:
    module = ElementTree.parse(str(pom))
    assert module.findtext("m:parent/m:version", namespaces=POM) == "${revision}"
    assert module.find("m:version", POM) is None
