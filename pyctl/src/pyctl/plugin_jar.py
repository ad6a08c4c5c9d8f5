"""What a jar says of itself: whether it is the plug-in, which version and build, which Flink it belongs to."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

PREMAIN_CLASS = "dev.drrs.instrumentation.Agent"
_MANIFEST = "META-INF/MANIFEST.MF"
_BUILD_DIGITS = 12


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


def build(jar: Path) -> str | None:
    """What tells builds of the same version apart, as the plug-in itself tells it in REST; None if it is no jar.

    A digest of the names and check sums in the jar, without its manifest.
    """
    try:
        with zipfile.ZipFile(jar) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
    except (OSError, zipfile.BadZipFile):
        return None
    sums = {one.filename: one.CRC for one in entries if not one.filename.startswith("META-INF/")}
    # The text of a sorted map in Java.
    text = ", ".join(f"{name}={sums[name]}" for name in sorted(sums))
    return hashlib.sha256(f"{{{text}}}".encode()).hexdigest()[:_BUILD_DIGITS]


def title(jar: Path) -> str:
    """Version and build, for people."""
    return f"{version(jar) or 'of an unknown version'}, build {build(jar) or 'unknown'}"
