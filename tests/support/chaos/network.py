"""JVMs on hosts of their own: network namespaces on one bridge, whose links can be cut and slowed down."""

from __future__ import annotations

import os
import random
import subprocess
from types import TracebackType
from typing import Self

from pyctl.local_cluster.hosts import Host
from pyctl.local_cluster.process import Role

_SLOW = ("rate", "16mbit", "burst", "32kbit", "latency", "400ms")


class NetworkError(Exception):
    """A command of the network failed; holds its words."""


class Network:
    """A bridge of this host, and a namespace for each JVM that asks. Everything is removed on exit, and not before:
    the host of a JVM that was killed is still there and refuses connections.

    Needs root; `missing` tells why it cannot be had. Names hold this process's id, so that several may exist.
    """

    def __init__(self) -> None:
        self._prefix = f"d{os.getpid()}"
        self._net = _free_net()
        self._numbers: dict[str, int] = {}

    @staticmethod
    def missing() -> str | None:
        """Why namespaces cannot be made here, or None if they can."""
        name = f"d{os.getpid()}-probe"
        try:
            _run("ip", "netns", "add", name)
            _run("ip", "netns", "del", name)
            with Network() as network:
                network.host("taskmanager", "probe")
                network.slow("probe")
        except (NetworkError, FileNotFoundError) as error:
            return str(error)
        return None

    def __enter__(self) -> Self:
        _run("ip", "link", "add", self._bridge, "type", "bridge")
        try:
            _run("ip", "addr", "add", f"{self._net}.1/24", "dev", self._bridge)
            _run("ip", "link", "set", self._bridge, "up")
        except NetworkError:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        for name in self._numbers:
            _run("ip", "netns", "del", self._namespace(name))
        self._numbers.clear()
        _run("ip", "link", "del", self._bridge)

    def host(self, role: Role, name: str) -> Host:
        """Where this JVM runs; ZooKeeper on the bridge itself."""
        if role == "zookeeper":
            return Host(f"{self._net}.1")
        if name not in self._numbers:
            self._add(name)
        return Host(f"{self._net}.{self._numbers[name]}", ("ip", "netns", "exec", self._namespace(name)))

    def _add(self, name: str) -> None:
        number = len(self._numbers) + 2
        if number > 254:
            raise NetworkError(f"all addresses of {self._net}.0/24 are taken")
        self._numbers[name] = number
        namespace, outer = self._namespace(name), self._outer(name)
        _run("ip", "netns", "add", namespace)
        _run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        _run("ip", "link", "set", outer, "master", self._bridge, "up")
        _run("ip", "-n", namespace, "addr", "add", f"{self._net}.{number}/24", "dev", "eth0")
        _run("ip", "-n", namespace, "link", "set", "eth0", "up")
        _run("ip", "-n", namespace, "link", "set", "lo", "up")

    def cut(self, name: str) -> None:
        """Nothing gets to the host or comes from it any more."""
        _run("ip", "link", "set", self._outer(name), "down")

    def join(self, name: str) -> None:
        """The link is there again."""
        _run("ip", "link", "set", self._outer(name), "up")

    def slow(self, name: str) -> None:
        """Bound the bandwidth in both directions."""
        _run("tc", "qdisc", "add", "dev", self._outer(name), "root", "tbf", *_SLOW)
        _run("ip", "netns", "exec", self._namespace(name), "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *_SLOW)

    def quicken(self, name: str) -> None:
        """Full bandwidth again."""
        _run("tc", "qdisc", "del", "dev", self._outer(name), "root")
        _run("ip", "netns", "exec", self._namespace(name), "tc", "qdisc", "del", "dev", "eth0", "root")

    @property
    def _bridge(self) -> str:
        return f"{self._prefix}b"

    def _namespace(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    def _outer(self, name: str) -> str:
        return f"{self._prefix}v{self._numbers[name]}"


def _free_net() -> str:
    """The first three numbers of a net that this host has no route to."""
    routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
    return next(
        net for net in (f"10.{random.randint(130, 250)}.{random.randint(0, 250)}" for _ in range(100))
        if f"{net}." not in routes
    )  # fmt: skip


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NetworkError(f"`{' '.join(command)}`: {done.stderr.strip() or done.returncode}")
