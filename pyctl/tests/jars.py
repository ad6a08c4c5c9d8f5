"""Jars that say what they are in their manifest, and hold nothing else."""

from __future__ import annotations

import zipfile
from pathlib import Path

from pyctl.plugin_jar import PREMAIN_CLASS


def write_jar(path: Path, **attributes: str) -> Path:
    """A jar whose manifest has these attributes (`_` for `-`)."""
    lines = ["Manifest-Version: 1.0", *(f"{name.replace('_', '-')}: {value}" for name, value in attributes.items())]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "".join(f"{line}\r\n" for line in [*lines, ""]))
    return path


def write_plugin(path: Path, version: str = "0.1.0") -> Path:
    """What passes for the plug-in."""
    return write_jar(path, Premain_Class=PREMAIN_CLASS, Implementation_Version=version)
