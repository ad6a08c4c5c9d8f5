"""A small disk for checkpoints, which can be filled."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZE = "192m"
_BLOCK = b"\0" * (1 << 20)


class SmallDisk:
    """A mounted folder. Made by `mounted`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    @staticmethod
    def missing() -> str | None:
        """Why none can be mounted here, or None if one can."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                with mounted(Path(folder)):
                    return None
            except (subprocess.CalledProcessError, FileNotFoundError) as error:
                return str(getattr(error, "stderr", None) or error).strip().splitlines()[0]

    def fill(self) -> None:
        """Leave no free byte."""
        with self._filler.open("wb", buffering=0) as filler:
            for block in (_BLOCK, _BLOCK[:4096]):
                while _written(filler.fileno(), block):
                    pass

    def free(self) -> None:
        """Take away what filled it."""
        self._filler.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove everything, while no job is there: killed JobManagers leave checkpoints behind, as in stock Flink."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _written(file: int, block: bytes) -> bool:
    try:
        return os.write(file, block) > 0
    except OSError as error:
        if error.errno == errno.ENOSPC:
            return False
        raise


@contextmanager
def mounted(folder: Path) -> Iterator[SmallDisk]:
    """A file system of its own at `folder`; unmounted on exit."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(folder)], check=True, capture_output=True,
        text=True,
    )  # fmt: skip
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True, text=True)
