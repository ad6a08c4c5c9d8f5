"""Processes that this one has started."""

from __future__ import annotations

import subprocess


def end_child(process: subprocess.Popen[bytes], within_s: float) -> None:
    """Tell a process to end, kill it if it has not within that many seconds, and return when it is gone."""
    process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
