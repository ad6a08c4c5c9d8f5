"""A page as a headless browser draws it: where its texts are, and what its console says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--window-size=1100,900", "--dump-dom",
)  # fmt: skip
_CONSOLE = re.compile(r":CONSOLE[:(]\d*\)?\] (.*)")
# Of each text of each drawing: how far it reaches beyond the drawing, and which other texts of it it lies upon.
_LOOK = """
<script>
const found = [];
document.querySelectorAll("figure svg").forEach(svg => {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent.trim(), text.getBoundingClientRect()]);
  boxes.forEach(([text, box], at) => found.push({
    drawing: svg.getAttribute("aria-label"), text: text,
    beyond: Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom),
    upon: boxes.slice(at + 1).filter(([, other]) => box.left < other.right - 1 && other.left < box.right - 1
      && box.top < other.bottom - 1 && other.top < box.bottom - 1).map(([name]) => name)}));
});
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.body.setAttribute("data-found", JSON.stringify({texts: found, wide: wide}));
</script>
"""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a drawing: CSS pixels that it reaches beyond the drawing, and texts that it lies upon."""

    drawing: str
    text: str
    beyond: float
    upon: list[str]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a browser saw; ``wide`` is by how many pixels the page is wider than the window."""

    texts: list[Text]
    wide: float
    console: list[str]


def find() -> str | None:
    """Return the browser of this machine, if it has one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def look(browser: str, page: str, folder: Path) -> Seen:
    """Let the browser draw the page."""
    file = folder / "page.html"
    file.write_text(page.replace("</body>", f"{_LOOK}</body>"), encoding="utf-8")
    command = [browser, *_OPTIONS, f"--user-data-dir={folder / 'profile'}", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    attribute = re.search(r'data-found="([^"]*)"', done.stdout)
    assert attribute is not None, done.stderr
    found = json.loads(unescape(attribute[1]))
    return Seen([Text(**text) for text in found["texts"]], found["wide"], _CONSOLE.findall(done.stderr))
