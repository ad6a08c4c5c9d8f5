"""The compose file: services that have what they need, are limited, and are reached from this machine only."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from drrs_jobs.runner.strategies import parse_strategies
from drrs_jobs.workloads.loading import load
from harness import compose
from harness.cluster import ROOT

SERVICES: dict[str, dict[str, Any]] = compose.compose()["services"]
OF_FLINK = ("jobmanager", "taskmanager", "history", "submit")
STAY = ("zookeeper", "jobmanager", "taskmanager", "history", "prometheus", "grafana", "kafka")
ON_DEMAND = {"kafka": ["kafka"], "submit": ["tools"], "pyctl": ["tools"], "bench": ["tools"]}


@pytest.fixture(scope="module")
def properties() -> dict[str, str]:
    """Those of all services of Flink."""
    found = [compose.properties(SERVICES[name]) for name in OF_FLINK]
    assert all(one == found[0] for one in found)
    return found[0]


def options_of_the_plugin() -> set[str]:
    return set(re.findall(r"^\| `(drrs\.[^`]+)` \|", (ROOT / "docs/options.md").read_text(), re.MULTILINE))


def test_the_cluster_starts_alone_and_the_rest_on_demand() -> None:
    assert set(SERVICES) == {*STAY, *ON_DEMAND}
    assert {name: one["profiles"] for name, one in SERVICES.items() if "profiles" in one} == ON_DEMAND
    assert not any("container_name" in one for one in SERVICES.values()), "a name of its own would forbid --scale"
    assert SERVICES["taskmanager"]["deploy"] == {"replicas": 3}


def test_what_is_published_is_published_on_this_machine_only_and_no_port_twice() -> None:
    ports = [port for one in SERVICES.values() for port in one.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert len({port.split(":")[1] for port in ports}) == len(ports)
    assert not any("network_mode" in one or "privileged" in one for one in SERVICES.values())


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_limited_in_what_both_generations_of_compose_read(name: str) -> None:
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])
    assert float(compose.default_of(str(SERVICES[name]["cpus"]))) >= 0
    assert "resources" not in SERVICES[name].get("deploy", {})


def test_what_stays_up_has_a_health_check_and_who_needs_it_waits_for_it() -> None:
    assert {name for name, one in SERVICES.items() if "healthcheck" in one} == set(STAY)
    for name, needed in {
        "jobmanager": "zookeeper", "taskmanager": "jobmanager", "grafana": "prometheus", "submit": "jobmanager",
        "pyctl": "jobmanager", "bench": "taskmanager",
    }.items():  # fmt: skip
        assert SERVICES[name]["depends_on"] == {needed: {"condition": "service_healthy"}}


def test_a_health_check_starts_no_jvm_which_a_bench_beside_it_would_feel() -> None:
    for name in STAY:
        text = " ".join(SERVICES[name]["healthcheck"]["test"])
        assert re.search(r"\bwget\b|\bnc\b|/dev/tcp/", text), name
        assert "/opt/" not in text, name


def test_nobody_is_root() -> None:
    stages = compose.stages()
    for name in ("pyctl", "bench"):
        assert stages[name].last("USER") not in (None, "root", "0")
    # The user of the base image stays.
    assert stages["flink"].last("USER") is None
    assert all(one.get("user") not in ("root", "0", "0:0") for one in SERVICES.values())
    assert SERVICES["zookeeper"]["user"] == "zookeeper", "its image starts as root unless told"


def test_each_volume_is_declared_and_each_mounted_file_is_in_the_repository() -> None:
    declared = set(compose.compose()["volumes"])
    mounts = [mount for one in SERVICES.values() for mount in one.get("volumes", ())]
    sources = {mount.split(":")[0] for mount in mounts}
    files = {source for source in sources if source.startswith("./")}
    assert sources - files == declared
    for file in files:
        assert (ROOT / file).exists(), file
    assert all(mount.endswith(":ro") for mount in mounts if mount.startswith("./"))


def test_the_agent_is_the_jar_in_lib_for_both_kinds_of_process(properties: dict[str, str]) -> None:
    jars = [copy.destination for copy in compose.stages()["flink"].copies if "plugin.jar" in copy.sources[0]]
    assert len(jars) == 1
    assert jars[0].startswith("/opt/flink/lib/")
    for process in ("jobmanager", "taskmanager"):
        assert properties[f"env.java.opts.{process}"] == f"-javaagent:{jars[0]}"
    # The shipped list of --add-opens stays as it is.
    assert "env.java.opts.all" not in properties
    assert "env.java.opts" not in properties


def test_no_property_has_white_space_which_the_image_would_take_out(properties: dict[str, str]) -> None:
    for key, value in properties.items():
        assert not re.search(r"\s", key + value), key


def test_each_option_of_the_plugin_exists(properties: dict[str, str]) -> None:
    given = {word[2:].split("=")[0] for word in compose.words_of("submit-demo.sh", "exec ") if word.startswith("-D")}
    assert given == {"drrs.enabled"}
    assert given | {key for key in properties if key.startswith("drrs.")} <= options_of_the_plugin()


def test_what_processes_share_is_on_the_volume_that_all_of_them_have(properties: dict[str, str]) -> None:
    folder = "/opt/flink/data"
    shared = [
        properties[key].removeprefix("file://")
        for key in (
            "execution.checkpointing.dir", "execution.checkpointing.savepoint-dir", "high-availability.storageDir",
            "jobmanager.archive.fs.dir", "historyserver.archive.fs.dir",
        )
    ]  # fmt: skip
    words = compose.words_of("submit-demo.sh", "exec ")
    shared.append(words[words.index("--output") + 1])
    assert all(path.startswith(f"{folder}/") for path in shared)
    for name in (*OF_FLINK, "bench"):
        assert f"data:{folder}" in SERVICES[name]["volumes"]
    assert f'folder="{folder}/bench/' in (ROOT / "docker/bench.sh").read_text()
    # The history server shows what the JobManager has put away.
    assert properties["jobmanager.archive.fs.dir"] == properties["historyserver.archive.fs.dir"]


def test_addresses_and_ports_are_those_of_the_services(properties: dict[str, str]) -> None:
    assert properties["rest.address"] == "jobmanager"
    assert properties["high-availability.zookeeper.quorum"] == "zookeeper:2181"
    assert SERVICES["pyctl"]["environment"]["PYCTL_JOBMANAGER"] == "jobmanager:8081"
    assert SERVICES["bench"]["environment"]["PYCTL_JOBMANAGER"] == "jobmanager:8081"
    check = " ".join(SERVICES["taskmanager"]["healthcheck"]["test"])
    assert f"/dev/tcp/localhost/{properties['taskmanager.rpc.port']}" in check
    assert compose.default_of(SERVICES["bench"]["environment"]["BENCH_KAFKA"]) == "kafka:9092"
    assert SERVICES["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://kafka:9092"


def test_the_slots_suffice_for_the_workloads_of_the_bench(properties: dict[str, str]) -> None:
    names = compose.default_of(SERVICES["bench"]["environment"]["BENCH_WORKLOADS"]).split()
    workloads = [load(name) for name in names]
    slots = int(properties["taskmanager.numberOfTaskSlots"]) * SERVICES["taskmanager"]["deploy"]["replicas"]
    assert max(workload.most_subtasks for workload in workloads) <= slots


def test_the_bench_gives_pyctl_what_it_reads() -> None:
    environment = SERVICES["bench"]["environment"]
    script = (ROOT / "docker/bench.sh").read_text()
    assert set(re.findall(r"\$\{([A-Z_]+)", script)) == set(environment)
    assert parse_strategies(compose.default_of(environment["BENCH_STRATEGIES"]))
    known = set(re.findall(r'"(--[a-z-]+)"', (ROOT / "pyctl/src/pyctl/cli/bench.py").read_text()))
    given = {word for word in compose.words_of("bench.sh", "pyctl bench run") if word.startswith("--")}
    assert given <= known


def test_pyctl_is_told_the_jobmanager_by_the_variable_that_it_reads() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "pyctl/src/pyctl/cli").glob("*.py"))
    assert 'envvar="PYCTL_JOBMANAGER"' in sources
    scripts = tomllib.loads((ROOT / "pyctl/pyproject.toml").read_text())["project"]["scripts"]
    assert compose.stages()["pyctl"].last("ENTRYPOINT") == f'["{next(iter(scripts))}"]'


def test_the_submitted_job_is_the_one_in_the_image_with_arguments_that_it_has() -> None:
    copies = {copy.sources[0]: copy.destination for copy in compose.stages()["flink"].copies}
    assert SERVICES["submit"]["command"] == copies["docker/submit-demo.sh"]
    words = compose.words_of("submit-demo.sh", "exec ")
    jar = copies["/src/jobs/nexmark/target/drrs-nexmark.jar"]
    assert jar in words
    source = (ROOT / "jobs/nexmark/src/main/java/dev/drrs/nexmark/options/Options.java").read_text()
    known = set(re.findall(r"\b(?:choice|text|number|numbers|flag)\(\s*\"([a-z0-9-]+)\"", source))
    assert {name.removeprefix("--") for name in words[words.index(jar) + 1 :: 2]} <= known
    main_class = words[words.index("--class") + 1]
    assert (ROOT / "jobs/nexmark/src/main/java" / f"{main_class.replace('.', '/')}.java").is_file()
