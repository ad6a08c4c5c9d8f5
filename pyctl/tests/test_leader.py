"""Finding the leader behind ZooKeeper."""

from __future__ import annotations

import pytest

from pyctl.errors import NoLeader, UsageError
from pyctl.leader import Fixed, ZooKeeperLeader, leader_address, locate

# A string and a java.util.UUID as Flink's ObjectOutputStream writes them (the object is not read).
ADDRESS = b"http://10.0.0.7:8081"
WRITTEN = (
    b"\xac\xed\x00\x05\x77" + bytes([len(ADDRESS) + 2]) + len(ADDRESS).to_bytes(2, "big") + ADDRESS + b"sr\x00\x0e"
)


def test_the_address_is_read_from_what_flink_writes() -> None:
    assert leader_address(WRITTEN) == "http://10.0.0.7:8081"


@pytest.mark.parametrize("data", [b"", b"http://10.0.0.7:8081", WRITTEN[:12]])
def test_anything_else_is_no_leader(data: bytes) -> None:
    with pytest.raises(NoLeader, match=r"not written by Flink 2\.3"):
        leader_address(data)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("zookeeper://zk:2181", "zookeeper://zk:2181/flink/default"),
        ("zookeeper://zk:2181/", "zookeeper://zk:2181/flink/default"),
        ("zookeeper://a:2181,b:2182/flink/prod", "zookeeper://a:2181,b:2182/flink/prod"),
    ],
)
def test_a_zookeeper_address_has_hosts_and_the_path_of_the_cluster(address: str, name: str) -> None:
    located = locate(address)
    assert isinstance(located, ZooKeeperLeader)
    assert str(located) == name


@pytest.mark.parametrize("address", ["zookeeper://", "zookeeper://zk", "zookeeper:///flink", "zookeeper://a:1,b/x"])
def test_one_without_host_and_port_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="names no ZooKeeper"):
        locate(address)


def test_a_plain_address_stays_what_it_is() -> None:
    located = locate("host:8081")
    assert isinstance(located, Fixed)
    assert located.address().url == "http://host:8081"


def test_a_zookeeper_that_does_not_answer_is_named() -> None:
    with pytest.raises(NoLeader, match=r"The ZooKeeper at 127\.0\.0\.1:1 does not answer"):
        ZooKeeperLeader("zookeeper://127.0.0.1:1", timeout_s=0.5).address()
