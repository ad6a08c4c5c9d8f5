"""A Kafka broker of one process, in KRaft mode, for a bench and for tests: `make kafka` gets its class path."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from pyctl.flink_home import find_java
from pyctl.local_cluster.ports import LOOPBACK, free_ports

from drrs_jobs.checkout import find_in_checkout
from drrs_jobs.children import end_child
from drrs_jobs.waiting import await_until

LIBS = Path("jobs/kafka-broker/target/libs")
_HEAP = "-Xmx384m"
_START_S = 60.0
_STOP_S = 20.0
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
# Who reads before the topic is there is told, and makes none by that.
auto.create.topics.enable=false
# Their defaults are for three brokers.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""


class BrokerError(RuntimeError):
    """The broker could not be started; the message says why and where its output is."""


@contextmanager
def broker(folder: Path) -> Iterator[tuple[str, int]]:
    """Start a broker on the loopback interface with its files in ``folder``; yield its address and pid, and stop it.

    It begins empty, and leaves what it said. Raises ``FileNotFoundError`` where its class path has not been made,
    ``BrokerError`` if it does not start.
    """
    libs = find_in_checkout(LIBS, "`make kafka` gets it")
    folder.mkdir(parents=True, exist_ok=True)
    port, controller = free_ports(2)
    config, output, data = folder / "server.properties", folder / "broker.out", folder.resolve() / "data"
    config.write_text(_PROPERTIES.format(port=port, controller=controller, data=data), encoding="utf-8")
    # Of one that was killed.
    shutil.rmtree(data, ignore_errors=True)
    java = [str(find_java()), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", _HEAP, "-cp", f"{libs}/*"]
    with output.open("w") as log:
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        # With "=", as an id may begin with a hyphen.
        form = [*java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config", str(config)]
        if subprocess.run(form, stdout=log, stderr=log, check=False).returncode:
            raise BrokerError(f"Kafka's storage could not be made, see {output}")
        # In a session of its own: Ctrl-C does not end it before whoever uses it has cleaned up.
        process = subprocess.Popen(
            [*java, "kafka.Kafka", str(config)], stdout=log, stderr=log, start_new_session=True
        )  # fmt: skip
        try:
            address = f"{LOOPBACK}:{port}"
            _await_start(address, process, output)
            yield address, process.pid
        finally:
            end_child(process, _STOP_S)
            shutil.rmtree(data, ignore_errors=True)


def _await_start(address: str, process: subprocess.Popen[bytes], output: Path) -> None:
    admin = AdminClient({"bootstrap.servers": address, "log_level": 0})

    def answers() -> bool:
        if process.poll() is not None:
            raise BrokerError(f"the Kafka broker ended with {process.returncode}, see {output}")
        with suppress(KafkaException):
            admin.list_topics(timeout=2)
            return True
        return False

    try:
        await_until(answers, "the Kafka broker", _START_S, 0.2)
    except TimeoutError as error:
        raise BrokerError(f"the Kafka broker at {address} does not answer, see {output}") from error
