"""TLS between the processes: the peer exchange goes over Flink's own network stack, so it is encrypted with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import processes
from harness.job import running
from harness.scenarios import Scenario
from pyctl.flink_home import find_java
from pyctl.local_cluster.process import JvmProcess

PASSWORD = "only-for-this-test"


def key_store(directory: Path) -> Path:
    """A key pair that all processes share: store and trust store in one, as Flink advises for internal TLS."""
    store = directory / "internal.p12"
    subprocess.run(
        [
            str(find_java().with_name("keytool")), "-genkeypair", "-alias", "flink.internal", "-keystore", str(store),
            "-dname", "CN=flink.internal", "-storepass", PASSWORD, "-keyalg", "RSA", "-keysize", "2048",
            "-storetype", "PKCS12", "-ext", "san=dns:localhost,ip:127.0.0.1",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return store


def tls(store: Path) -> dict[str, str]:
    return {
        "security.ssl.internal.enabled": "true",
        "security.ssl.internal.keystore": str(store),
        "security.ssl.internal.truststore": str(store),
        "security.ssl.internal.keystore-password": PASSWORD,
        "security.ssl.internal.truststore-password": PASSWORD,
        "security.ssl.internal.key-password": PASSWORD,
    }


def listening(process: JvmProcess) -> set[int]:
    """TCP ports that a process listens at."""
    sockets = {str(link.readlink()) for link in Path(f"/proc/{process.pid}/fd").iterdir() if link.is_symlink()}
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


@pytest.mark.covers("cluster: TLS between the processes", path=(2, 4, 3))
def test_output_is_exact_with_tls_and_no_port_is_opened(tmp_path: Path) -> None:
    with (
        processes.started(tmp_path / "cluster", task_managers=2, slots=2, options=tls(key_store(tmp_path))) as cluster,
        running(cluster, Scenario("states", (2, 4, 3)).spec(), tmp_path) as job,
    ):
        job.await_records("states", 1_000)
        before = [listening(process) for process in cluster.local.task_managers]
        assert all(before)
        job.rescale("states", 4)
        job.rescale("states", 3)
        assert [listening(process) for process in cluster.local.task_managers] == before
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
