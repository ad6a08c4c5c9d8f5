"""Which host each JVM of a local cluster runs on: this one, or something that looks like another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyctl.local_cluster.ports import LOOPBACK
from pyctl.local_cluster.process import Role


@dataclass(frozen=True)
class Host:
    """The address that a JVM binds to, and the command that its own is appended to so that it starts there.

    That command must replace itself (`exec`): its pid is taken for the JVM's.
    """

    address: str
    enter: tuple[str, ...] = ()


Hosts = Callable[[Role, str], Host]
"""Tells the host of a role and name; asked again it gives the same answer."""


def one_host(_role: Role, _name: str) -> Host:
    """All on the loopback address."""
    return Host(LOOPBACK)
