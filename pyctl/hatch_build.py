"""Puts the plug-in's jar into the wheel, so that `pip install` and `pyctl install` suffice.

The jar is the one that `DRRS_PLUGIN_JAR` names, else the built one of the checkout around this file. Without one the
wheel has none, and `pyctl install` asks for it. An editable install has none either: there the built one is found.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

JAR_NAME = "drrs-flink-plugin.jar"
JAR_IN_REPO = Path("flink-plugin/dist/target") / JAR_NAME
JAR_VARIABLE = "DRRS_PLUGIN_JAR"


class JarInWheel(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        named = os.environ.get(JAR_VARIABLE)
        jar = Path(named) if named else Path(self.root).parent / JAR_IN_REPO
        if not jar.is_file():
            if named:
                raise FileNotFoundError(f"{JAR_VARIABLE} names {jar}, which is not there.")
            self.app.display_warning(f"There is no {jar}: the wheel is built without the plug-in's jar.")
            return
        has = _version(jar)
        if has != self.metadata.version:
            raise ValueError(f"{jar} is version {has} of the plug-in, and pyctl is {self.metadata.version}.")
        build_data["force_include"][str(jar.resolve())] = f"pyctl/{JAR_NAME}"


def _version(jar: Path) -> str | None:
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode("utf-8").splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("Implementation-Version: ")), None)
