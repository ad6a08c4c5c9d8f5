"""The compose file, its Dockerfiles and the rest of the repository agree; no container engine is needed."""

from __future__ import annotations

import re
import shlex
import tomllib
import xml.etree.ElementTree as ElementTree
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILES = ["docker/Dockerfile", "docker/pyctl.Dockerfile"]
FLINK_SERVICES = ["jobmanager", "taskmanager", "submit"]
POM = "{http://maven.apache.org/POM/4.0.0}"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    document: dict[str, Any] = YAML(typ="safe").load(ROOT / "docker-compose.yml")
    return document


@pytest.fixture(scope="module")
def properties(compose: dict[str, Any]) -> dict[str, str]:
    """`FLINK_PROPERTIES` as the image's entry point reads them, the same for every Flink service."""
    texts = {compose["services"][name]["environment"]["FLINK_PROPERTIES"] for name in FLINK_SERVICES}
    assert len(texts) == 1
    lines = [line for line in texts.pop().splitlines() if line.strip()]
    return dict(line.split(": ", 1) for line in lines)


def copies(dockerfile: str) -> list[tuple[str, str]]:
    """Source and destination of each COPY."""
    found = []
    for line in (ROOT / dockerfile).read_text().splitlines():
        if line.startswith("COPY "):
            *sources, destination = [part for part in line.split()[1:] if not part.startswith("--")]
            found += [(source, destination) for source in sources]
    return found


def is_built(path: str) -> bool:
    """Whether the Maven module before `target/` makes a jar of this name."""
    module, target, jar = path.rpartition("/target/")
    pom = ROOT / module / "pom.xml"
    if not target or not pom.is_file():
        return False
    root = ElementTree.parse(pom).getroot()
    return root.findtext(f"{POM}build/{POM}finalName") == jar.removesuffix(".jar")


def options_of_the_plugin() -> set[str]:
    return set(re.findall(r"^\| `(drrs\.[^`]+)` \|", (ROOT / "docs/options.md").read_text(), re.MULTILINE))


def submit_command() -> list[str]:
    """The words of `flink run ..` in the script of the service `submit`."""
    script = (ROOT / "docker/submit-demo.sh").read_text().replace("\\\n", " ")
    line = next(line for line in script.splitlines() if line.startswith("exec flink run "))
    return shlex.split(line)


def test_there_is_one_jobmanager_taskmanagers_the_job_and_pyctl(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"jobmanager", "taskmanager", "submit", "pyctl"}
    assert "deploy" not in services["jobmanager"]
    assert "container_name" not in services["taskmanager"], "a name of its own would forbid --scale"


def test_only_the_dashboard_is_published_and_only_on_this_machine(compose: dict[str, Any]) -> None:
    ports = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert ports == {"jobmanager": ["127.0.0.1:8081:8081"]}
    assert not any("network_mode" in service for service in compose["services"].values())


def test_what_stays_up_has_a_health_check_and_the_rest_waits_for_it(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert {name for name, service in services.items() if "healthcheck" in service} == {"jobmanager", "taskmanager"}
    for name in ("taskmanager", "submit", "pyctl"):
        assert services[name]["depends_on"] == {"jobmanager": {"condition": "service_healthy"}}


def test_each_image_is_built_from_a_file_of_the_repository(compose: dict[str, Any]) -> None:
    used = set()
    for service in compose["services"].values():
        assert (ROOT / service["build"]["context"]).resolve() == ROOT
        used.add(service["build"]["dockerfile"])
    assert used == set(DOCKERFILES)


def test_each_volume_is_declared(compose: dict[str, Any]) -> None:
    for name in FLINK_SERVICES:
        for mount in compose["services"][name]["volumes"]:
            assert mount.split(":")[0] in compose["volumes"]


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_each_copied_file_is_in_the_repository_or_made_by_its_build(dockerfile: str) -> None:
    for source, _ in copies(dockerfile):
        assert (ROOT / source).exists() or is_built(source), source


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_each_copied_file_is_in_the_build_context(dockerfile: str) -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    kept = [line[1:] for line in lines if line.startswith("!")]
    for source, _ in copies(dockerfile):
        assert any(fnmatch(path, source) or path.startswith(f"{source}/") for path in kept), source


def test_the_base_image_is_the_same_by_default_everywhere(compose: dict[str, Any]) -> None:
    default = re.search(r"^ARG FLINK_IMAGE=(\S+)$", (ROOT / "docker/Dockerfile").read_text(), re.MULTILINE)
    assert default is not None
    pom = ElementTree.parse(ROOT / "flink-plugin/pom.xml").getroot()
    assert default[1] == f"flink:{pom.findtext(f'{POM}properties/{POM}flink.version')}-java17"
    for name in FLINK_SERVICES:
        build = compose["services"][name]["build"]
        assert build["args"]["FLINK_IMAGE"] == f"${{FLINK_IMAGE:-{default[1]}}}"


def test_the_agent_is_the_jar_in_lib_for_both_kinds_of_process(properties: dict[str, str]) -> None:
    jar = dict(copies("docker/Dockerfile"))["flink-plugin/dist/target/drrs-flink-plugin.jar"]
    assert jar.startswith("/opt/flink/lib/")
    for process in ("jobmanager", "taskmanager"):
        assert properties[f"env.java.opts.{process}"] == f"-javaagent:{jar}"


def test_no_property_has_white_space_which_the_image_would_take_out(properties: dict[str, str]) -> None:
    for key, value in properties.items():
        assert not re.search(r"\s", key + value), key


def test_the_shipped_jvm_options_are_left_alone(properties: dict[str, str]) -> None:
    assert "env.java.opts.all" not in properties
    assert "env.java.opts" not in properties


def test_the_health_check_of_a_taskmanager_asks_its_fixed_port(
    compose: dict[str, Any], properties: dict[str, str]
) -> None:
    check = " ".join(compose["services"]["taskmanager"]["healthcheck"]["test"])
    assert f"/dev/tcp/localhost/{properties['taskmanager.rpc.port']}" in check


def test_each_option_of_the_plugin_exists(properties: dict[str, str]) -> None:
    given = {word[2:].split("=")[0] for word in submit_command() if word.startswith("-Ddrrs.")}
    assert given == {"drrs.enabled"}
    named = given | {key for key in properties if key.startswith("drrs.")}
    assert named <= options_of_the_plugin()


def test_the_submitted_job_is_the_one_in_the_image(compose: dict[str, Any]) -> None:
    destinations = dict(copies("docker/Dockerfile"))
    assert compose["services"]["submit"]["command"] == destinations["docker/submit-demo.sh"]
    assert destinations["jobs/nexmark/target/drrs-nexmark.jar"] in submit_command()


def test_each_argument_of_the_job_exists() -> None:
    source = (ROOT / "jobs/nexmark/src/main/java/dev/drrs/nexmark/options/Options.java").read_text()
    known = set(re.findall(r"\b(?:choice|text|number|numbers|flag)\(\s*\"([a-z0-9-]+)\"", source))
    words = submit_command()
    arguments = words[words.index("/opt/flink/jobs/drrs-nexmark.jar") + 1 :]
    assert {name.removeprefix("--") for name in arguments[::2]} <= known
    main_class = words[words.index("--class") + 1]
    assert (ROOT / "jobs/nexmark/src/main/java" / f"{main_class.replace('.', '/')}.java").is_file()


def test_the_job_writes_and_checkpoints_on_the_shared_volume(properties: dict[str, str]) -> None:
    words = submit_command()
    assert words[words.index("--output") + 1].startswith("/opt/flink/data/")
    assert properties["execution.checkpointing.dir"].startswith("file:///opt/flink/data/")
    assert "mkdir -p /opt/flink/data" in (ROOT / "docker/Dockerfile").read_text()


def test_pyctl_is_told_the_jobmanager_by_the_variable_that_it_reads(compose: dict[str, Any]) -> None:
    service = compose["services"]["pyctl"]
    assert service["environment"] == {"PYCTL_JOBMANAGER": "jobmanager:8081"}
    assert service["profiles"] == ["tools"]
    sources = "".join(path.read_text() for path in (ROOT / "pyctl/src/pyctl/cli").glob("*.py"))
    assert 'envvar="PYCTL_JOBMANAGER"' in sources
    scripts = tomllib.loads((ROOT / "pyctl/pyproject.toml").read_text())["project"]["scripts"]
    assert f'ENTRYPOINT ["{next(iter(scripts))}"]' in (ROOT / "docker/pyctl.Dockerfile").read_text()
