"""Where the JobManager is: a fixed address, or the leader that ZooKeeper knows of.

`zookeeper://HOST:PORT[,HOST:PORT..]/ROOT/CLUSTER-ID` names a cluster with ZooKeeper high availability. The path is
Flink's `high-availability.zookeeper.path.root` and `high-availability.cluster-id`; left out, it is Flink's default.
"""

from __future__ import annotations

import re
from typing import Protocol

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from pyctl.errors import NoLeader, UsageError

SCHEME = "zookeeper://"
DEFAULT_PATH = "/flink/default"
_LEADER = "/leader/rest_server/connection_info"
_HOSTS = re.compile(r"[^\s,/:]+:\d{1,5}(,[^\s,/:]+:\d{1,5})*")

# Java serialization: magic and version, then a block of primitive data with its length in one byte.
_JAVA_STREAM = b"\xac\xed\x00\x05\x77"


class Locator(Protocol):
    """Tells the base URL of the JobManager's REST port."""

    moves: bool
    """Whether the next call may give another answer."""

    def url(self) -> str:
        """The URL without a slash at its end. Raises NoLeader if nobody leads now or ZooKeeper does not answer."""


class Fixed:
    """One JobManager at an address that does not change."""

    moves = False

    def __init__(self, address: str) -> None:
        self._url = base_url(address)

    def url(self) -> str:
        return self._url

    def __str__(self) -> str:
        return self._url


class ZooKeeperLeader:
    """The present leader of a cluster with ZooKeeper high availability.

    Each call is a session of its own: leaders change seldom, and a session that is kept would have to be watched.
    """

    moves = True

    def __init__(self, address: str, timeout_s: float = 10.0) -> None:
        """`timeout_s` bounds the connection to ZooKeeper. Raises UsageError if the address is not one."""
        hosts, _, path = address.removeprefix(SCHEME).partition("/")
        if not _HOSTS.fullmatch(hosts):
            raise UsageError(f"'{address}' names no ZooKeeper: give {SCHEME}HOST:PORT[,HOST:PORT..]{DEFAULT_PATH}.")
        self._hosts = hosts
        self._path = f"/{path.strip('/')}" if path.strip("/") else DEFAULT_PATH
        self._timeout_s = timeout_s

    def url(self) -> str:
        client = KazooClient(hosts=self._hosts, timeout=self._timeout_s)
        try:
            client.start(timeout=self._timeout_s)
            data, _ = client.get(self._path + _LEADER)
        except NoNodeError:
            raise NoLeader(f"No JobManager leads the cluster {self._path} at the ZooKeeper {self._hosts}.") from None
        except (KazooTimeoutError, KazooException) as error:
            why = str(error) or type(error).__name__
            raise NoLeader(f"The ZooKeeper at {self._hosts} does not answer: {why}.") from error
        finally:
            client.stop()
            client.close()
        if not data:
            raise NoLeader(f"No JobManager leads the cluster {self._path} at the ZooKeeper {self._hosts}.")
        return base_url(leader_address(data))

    def __str__(self) -> str:
        return f"{SCHEME}{self._hosts}{self._path}"


def leader_address(data: bytes) -> str:
    """The address in the leader information that Flink writes: a string, and the session id behind it.

    Raises NoLeader if it is something else.
    """
    head = len(_JAVA_STREAM) + 1
    size = int.from_bytes(data[head : head + 2], "big")
    text = data[head + 2 : head + 2 + size]
    if not data.startswith(_JAVA_STREAM) or len(text) != size:
        raise NoLeader("ZooKeeper holds leader information that is not written by Flink 2.3.")
    return text.decode()


def locate(address: str) -> Locator:
    """The locator for what `-m` was given. Raises UsageError."""
    return ZooKeeperLeader(address) if address.startswith(SCHEME) else Fixed(address)


def base_url(address: str) -> str:
    """`host:port` or an http(s) URL as a URL without a slash at its end. Raises UsageError."""
    url = address if "://" in address else f"http://{address}"
    scheme, _, rest = url.partition("://")
    host, _, port = rest.rstrip("/").rpartition(":")
    if scheme not in {"http", "https"} or (scheme == "http" and (not host or not port.isdigit())):
        raise UsageError(
            f"'{address}' is not the address of a JobManager: give HOST:PORT, such as 127.0.0.1:8081, "
            f"or {SCHEME}HOST:PORT{DEFAULT_PATH}."
        )
    return f"{scheme}://{rest.rstrip('/')}"
