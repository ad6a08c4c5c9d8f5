"""`docs/operators.md` names classes that Flink has."""

from __future__ import annotations

import re
from zipfile import ZipFile

from harness.cluster import ROOT
from pyctl.flink_home import find_flink_home

PAGE = ROOT / "docs/operators.md"


def test_every_class_and_package_of_the_page_is_in_flink() -> None:
    home = find_flink_home()
    jars = [*home.lib.glob("*.jar"), *home.root.glob("opt/*.jar")]
    classes = {
        name.removesuffix(".class").replace("/", ".")
        for jar in jars
        for name in ZipFile(jar).namelist()
        if name.endswith(".class")
    }
    packages = {name[:at] for name in classes for at, letter in enumerate(name) if letter == "."}
    named = set(re.findall(r"`(org\.apache\.flink\.[\w.$*]+)`", PAGE.read_text(encoding="utf-8")))
    assert len(named) > 50
    assert {
        name for name in named if name.removesuffix(".*") not in (packages if name.endswith("*") else classes)
    } == set()
