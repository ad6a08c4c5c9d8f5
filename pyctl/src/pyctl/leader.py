"""Where the JobManager is: a fixed address, or the leader that ZooKeeper knows of.

`zookeeper://HOST:PORT[,HOST:PORT..]/ROOT/CLUSTER-ID` names a cluster with ZooKeeper high availability. The path is
Flink's `high-availability.zookeeper.path.root` and `high-availability.cluster-id`; left out, it is Flink's default.
"""

from __future__ import annotations

import logging
import re
from typing import Protocol

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from pyctl.address import Address, parse_address, public
from pyctl.errors import NoLeader, UsageError

SCHEME = "zookeeper://"
DEFAULT_PATH = "/flink/default"
_LEADER = "/leader/rest_server/connection_info"
_HOSTS = re.compile(r"[^\s,/:]+:\d{1,5}(,[^\s,/:]+:\d{1,5})*")

# Java serialization: magic and version, then a block of primitive data with its length in one byte.
_JAVA_STREAM = b"\xac\xed\x00\x05\x77"


# It reports each attempt to connect; pyctl says it in one sentence.
_SILENT = logging.getLogger("pyctl.zookeeper")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


class Locator(Protocol):
    """Tells the address of the JobManager's REST port."""

    moves: bool
    """Whether the next call may give another answer."""

    def address(self) -> Address:
        """Where it is. Raises NoLeader if nobody leads now or ZooKeeper does not answer."""


class Fixed:
    """One JobManager at an address that does not change."""

    moves = False

    def __init__(self, address: str) -> None:
        self._address = parse_address(address)

    def address(self) -> Address:
        return self._address

    def __str__(self) -> str:
        return str(self._address)


class ZooKeeperLeader:
    """The present leader of a cluster with ZooKeeper high availability.

    Each call is a session of its own: leaders change seldom, and a session that is kept would have to be watched.
    """

    moves = True

    def __init__(self, address: str, timeout_s: float = 5.0) -> None:
        """`timeout_s` bounds the connection to ZooKeeper. Raises UsageError if the address is not one."""
        hosts, _, path = address.removeprefix(SCHEME).partition("/")
        if not _HOSTS.fullmatch(hosts):
            raise UsageError(
                f"'{public(address)}' names no ZooKeeper: give {SCHEME}HOST:PORT[,HOST:PORT..]{DEFAULT_PATH}."
            )
        self._hosts = hosts
        self._path = f"/{path.strip('/')}" if path.strip("/") else DEFAULT_PATH
        self._timeout_s = timeout_s

    def address(self) -> Address:
        client = KazooClient(hosts=self._hosts, timeout=self._timeout_s, logger=_SILENT)
        try:
            client.start(timeout=self._timeout_s)
            data, _ = client.get(self._path + _LEADER)
        except NoNodeError:
            raise NoLeader(f"No JobManager leads the cluster {self._path} at the ZooKeeper {self._hosts}.") from None
        except (KazooTimeoutError, KazooException) as error:
            why = "no connection" if isinstance(error, KazooTimeoutError) else str(error) or type(error).__name__
            raise NoLeader(f"The ZooKeeper at {self._hosts} does not answer: {why}.") from error
        finally:
            client.stop()
            client.close()
        if not data:
            raise NoLeader(f"No JobManager leads the cluster {self._path} at the ZooKeeper {self._hosts}.")
        return parse_address(leader_address(data))

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
