"""What a jar says of itself in its manifest: whether it is the plug-in, which version, which Flink it belongs to."""

from __future__ import annotations

import zipfile
from pathlib import Path

PREMAIN_CLASS = "dev.drrs.instrumentation.Agent"
_MANIFEST = "META-INF/MANIFEST.MF"


def manifest(jar: Path) -> dict[str, str]:
    """The main attributes of a jar's manifest; empty if the file has none or is no jar."""
    try:
        with zipfile.ZipFile(jar) as archive:
            text = archive.read(_MANIFEST).decode("utf-8", errors="replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return {}
    # A long value goes on in the next line, behind one blank; an empty line ends the main attributes.
    head = text.replace("\r\n", "\n").split("\n\n", 1)[0].replace("\n ", "")
    pairs = (line.partition(":") for line in head.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def is_plugin(jar: Path) -> bool:
    """Whether this file is the plug-in, whatever it is called."""
    return manifest(jar).get("Premain-Class") == PREMAIN_CLASS


def version(jar: Path) -> str | None:
    """The version that a jar says it has; None if it says none."""
    return manifest(jar).get("Implementation-Version") or None
