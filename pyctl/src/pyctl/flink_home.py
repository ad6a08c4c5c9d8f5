"""Where the Flink distribution and the plug-in jar are."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from pyctl import plugin_jar
from pyctl.errors import ClusterError, Fault

SUPPORTED_FLINK = "2.3.0"
JAR_NAME = "drrs-flink-plugin.jar"
JAR_IN_REPO = Path("flink-plugin/dist/target") / JAR_NAME
JAR_VARIABLE = "DRRS_PLUGIN_JAR"

_DIST = re.compile(r"flink-dist(?:_[\d.]+)?-(\d.*)\.jar")


@dataclass(frozen=True)
class FlinkHome:
    """A folder with `bin/`, `conf/`, `lib/`, `opt/` and `plugins/`, as the distribution or the PyPI package has it."""

    root: Path

    @property
    def conf(self) -> Path:
        return self.root / "conf"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    @property
    def plugins(self) -> Path:
        return self.root / "plugins"

    @property
    def command(self) -> Path:
        """The `flink` command line client."""
        return self.root / "bin" / "flink"

    def check(self) -> FlinkHome:
        """Return self, or raise ClusterError naming what is missing."""
        missing = [name for name in ("bin", "conf", "lib") if not (self.root / name).is_dir()]
        if missing:
            raise ClusterError(f"{self.root} is not a Flink home: it has no {', '.join(missing)} folder.")
        if not any(self.lib.glob("flink-dist*.jar")):
            raise ClusterError(f"{self.lib} holds no flink-dist*.jar, so it is not a complete Flink distribution.")
        return self

    def version(self) -> str:
        """The version of Flink here, from the manifest of flink-dist*.jar, else from its name.

        Raises ClusterError if there are several such jars or neither tells it.
        """
        found = sorted(self.lib.glob("flink-dist*.jar"))
        if len(found) != 1:
            names = ", ".join(jar.name for jar in found) or "none"
            raise ClusterError(f"{self.lib} must hold one flink-dist*.jar, there are {len(found)}: {names}.")
        in_name = _DIST.fullmatch(found[0].name)
        version = plugin_jar.version(found[0]) or (in_name[1] if in_name else None)
        if version is None:
            raise ClusterError(f"{found[0]} tells no version, neither in its manifest nor by its name.")
        return version

    def version_fault(self) -> Fault | None:
        """What is wrong with the version of this Flink for the plug-in, if anything."""
        try:
            version = self.version()
        except ClusterError as error:
            return Fault("FLINK_VERSION", str(error))
        if version == SUPPORTED_FLINK:
            return None
        return Fault(
            "FLINK_VERSION",
            f"{self.root} is Flink {version}, and the plug-in is made for Flink {SUPPORTED_FLINK} only (it reaches "
            f"into Flink's classes): give a home of Flink {SUPPORTED_FLINK}.",
        )


def find_flink_home(given: Path | None = None) -> FlinkHome:
    """The Flink home given, else `FLINK_HOME`, else the one inside the PyPI package `apache-flink`.

    Raises ClusterError if there is none or it is not complete.
    """
    if given is not None:
        return FlinkHome(given.resolve()).check()
    if variable := os.environ.get("FLINK_HOME"):
        return FlinkHome(Path(variable).resolve()).check()
    spec = importlib.util.find_spec("pyflink")
    if spec is None or not spec.submodule_search_locations:
        raise ClusterError(
            "No Flink distribution found: give --flink-home, set FLINK_HOME, or install the package apache-flink."
        )
    return FlinkHome(Path(next(iter(spec.submodule_search_locations)))).check()


def find_plugin_jar(given: Path | None = None) -> Path:
    """The plug-in jar given, else `DRRS_PLUGIN_JAR`, else the one that came with this package, else the built one of
    the checkout around the working folder or around this file.

    Raises ClusterError if there is none.
    """
    here = Path(__file__).resolve().parent
    if given is not None:
        candidates = [given]
    elif variable := os.environ.get(JAR_VARIABLE):
        candidates = [Path(variable)]
    else:
        checkouts = [folder / JAR_IN_REPO for start in (Path.cwd(), here) for folder in (start, *start.parents)]
        candidates = [here / JAR_NAME, *checkouts]
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    where = (
        f"at {candidates[0]}"
        if len(candidates) == 1
        else f"neither in this installation of pyctl nor at {JAR_IN_REPO} of a checkout"
    )
    raise ClusterError(f"The plug-in jar is not there ({where}): build it with Maven, or name it with --jar.")


def find_java() -> Path:
    """The `java` of JAVA_HOME, else of the PATH. Raises ClusterError if there is none."""
    if home := os.environ.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        if java.is_file():
            return java
        raise ClusterError(f"JAVA_HOME is {home}, but there is no {java}.")
    found = shutil.which("java")
    if found is None:
        raise ClusterError("No java found: install a JDK 17, or set JAVA_HOME.")
    return Path(found)
