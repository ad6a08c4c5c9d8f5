"""Free ports on the loopback address."""

from __future__ import annotations

import random
import socket
from pathlib import Path

LOOPBACK = "127.0.0.1"
_LOWEST = 20_000
_HIGHEST = 32_000


def ephemeral_floor() -> int:
    """The lowest port that the system gives to outgoing connections."""
    path = Path("/proc/sys/net/ipv4/ip_local_port_range")
    return int(path.read_text().split()[0]) if path.is_file() else 49_152


def free_ports(count: int) -> list[int]:
    """`count` different ports that nothing is bound to now.

    They lie below the ephemeral range, so that no outgoing connection takes one before the JVM binds it, and are
    drawn at random, so that clusters started side by side rarely draw the same.
    """
    highest = min(_HIGHEST, max(_LOWEST + 2_000, ephemeral_floor()))
    found: list[int] = []
    for port in random.sample(range(_LOWEST, highest), highest - _LOWEST):
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"no {count} free ports between {_LOWEST} and {highest}")
