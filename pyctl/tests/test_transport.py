"""What is between pyctl and a JobManager: path prefixes, certificates, passwords, proxies, other programs."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from command import Cli
from fake_jobmanager import JOB, FakeJobManager, status
from pyctl.address import parse_address, public
from pyctl.client import Client
from pyctl.errors import NotFlink, NotReachable, UsageError

CERTIFICATES = Path(__file__).parent / "certificates"
CA = str(CERTIFICATES / "ca.pem")
NO_JOBS = (200, {"Content-Type": "application/json"}, b'{"jobs": []}')
PAGE = {"Content-Type": "text/html"}

Reply = tuple[int, dict[str, str], bytes]


class Server:
    """Answers every request as `reply` says; `seen` has the request lines and headers."""

    def __init__(self, reply: Callable[[BaseHTTPRequestHandler], Reply], certificate: str | None = None) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer()

            def do_CONNECT(self) -> None:
                self._answer()

            def _answer(self) -> None:
                server.seen.append((self.requestline, dict(self.headers)))
                code, headers, body = reply(self)
                self.send_response(code)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Tests read stderr."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATES / f"{certificate}.pem")
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def make(
        reply: Reply | Callable[[BaseHTTPRequestHandler], Reply] = NO_JOBS, certificate: str | None = None
    ) -> Server:
        servers.append(Server(reply if callable(reply) else lambda _: reply, certificate))
        return servers[-1]

    yield make
    for server in servers:
        server.http.shutdown()
        server.http.server_close()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name.endswith("CA_BUNDLE")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")


def fault_of(address: str, **options: object) -> NotReachable:
    with Client(address, retry_s=0.2, **options) as client, pytest.raises(NotReachable) as caught:  # type: ignore[arg-type]
        client.jobs()
    return caught.value


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("h:1", "http://h:1"), ("http://h:1/", "http://h:1"), ("https://flink.example/x", "https://flink.example/x"),
        ("http://h:1/some/path/", "http://h:1/some/path"), ("h:1/path", "http://h:1/path"), ("http://h", "http://h"),
        ("[::1]:8081", "http://[::1]:8081"), ("https://u:p@h:1/x", "https://h:1/x"), ("u:p@h:1", "http://h:1"),
    ],
)  # fmt: skip
def test_an_address_may_be_a_url_with_a_path(given: str, url: str) -> None:
    assert Client(given).base_url == url


@pytest.mark.parametrize(
    "given", ["nonsense", "host:", ":8081", "host:port", "ftp://host:1", "http://", "http://h:1?x=1", "h :1", "h:99999"]
)
def test_an_address_that_cannot_be_meant_is_a_usage_error(given: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        Client(given)


@pytest.mark.parametrize(
    "given",
    [
        "https://user:s3cret@host:port", "ftp://user:s3cret@host", "user:s3cret@", "https://user:s3/cret@host:x",
        "zookeeper://user:s3cret@host:1/flink", "https://user:s3cret:s3cret@@host:y",
    ],
)  # fmt: skip
def test_a_password_in_an_address_that_is_refused_is_not_shown(cli: Cli, given: str) -> None:
    for result in (cli("jobs", "-m", given), cli("jobs", "-m", given, "--json")):
        assert result.code == 2
        assert "s3" not in result.out + result.err
        assert "***@" in result.out + result.err


def test_what_may_be_shown_of_an_address_has_no_user() -> None:
    assert public("http://u:p@h:1/x") == "http://***@h:1/x"
    assert public("h:1") == "h:1"
    assert "p4ss" not in repr(parse_address("http://u:p4ss@h:1"))


def test_requests_go_below_the_path_of_an_ingress(serve: Callable[..., Server]) -> None:
    server = serve()
    assert Client(f"http://127.0.0.1:{server.port}/flink/prod").jobs() == []
    assert server.seen[0][0] == "GET /flink/prod/jobs/overview HTTP/1.1"


def test_a_password_is_sent_and_never_shown(serve: Callable[..., Server], cli: Cli) -> None:
    def reply(request: BaseHTTPRequestHandler) -> Reply:
        given = (request.headers.get("Authorization") or "").removeprefix("Basic ")
        return NO_JOBS if b64decode(given) == b"us@er:s3c/ret" else (401, PAGE, b"<html>login</html>")

    port = serve(reply).port
    good = f"http://us%40er:s3c%2Fret@127.0.0.1:{port}"
    assert cli("jobs", "-m", good, "--json").json == {"jobs": []}
    bad = cli("doctor", "-m", f"http://us%40er:wr0ng@127.0.0.1:{port}")
    assert bad.code == 6
    assert "user and password are missing or wrong" in bad.err
    assert "wr0ng" not in bad.err
    assert Client(good).base_url == f"http://127.0.0.1:{port}"


# -- certificates ------------------------------------------------------------------------------------------------------


def test_a_named_authority_is_trusted(serve: Callable[..., Server], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"https://localhost:{serve(certificate='local').port}"
    assert cli("jobs", "-m", address, "--ca-file", CA).code == 0
    for variable in ("PYCTL_CA_FILE", "REQUESTS_CA_BUNDLE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, CA)
            assert cli("jobs", "-m", address).code == 0


@pytest.mark.parametrize(
    ("certificate", "ca", "words"),
    [
        (
            "local",
            None,
            "unable to get local issuer certificate; name its certificate authority with --ca-file FILE or",
        ),
        ("other", CA, "certificate is not valid for 'localhost'."),
        ("expired", CA, "certificate has expired."),
    ],
)
def test_a_certificate_fault_is_one_sentence_and_not_tried_again(
    serve: Callable[..., Server], cli: Cli, certificate: str, ca: str | None, words: str
) -> None:
    address = f"https://localhost:{serve(certificate=certificate).port}"
    more = ("--ca-file", ca) if ca else ()
    started = time.monotonic()
    result = cli("jobs", "-m", address, *more)
    assert time.monotonic() - started < 3
    assert result.code == 6
    assert f"error: The certificate of {address} is not accepted: " in result.err
    assert words in result.err
    assert len(result.err.splitlines()) == 1
    assert cli("jobs", "-m", address, *more, "--json").error_codes == ["TLS"]


def test_tls_to_a_port_without_it_says_so(serve: Callable[..., Server]) -> None:
    address = f"https://127.0.0.1:{serve().port}"
    assert str(fault_of(address)) == f"{address} does not speak TLS: give it as http://."


def test_a_ca_file_that_is_of_no_use_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for file, why in (("no.pem", "it cannot be read"), ("empty.pem", "there is no certificate in PEM in it")):
        result = cli("jobs", "-m", "https://h:1", "--ca-file", str(tmp_path / file))
        assert (result.code, why in result.err) == (2, True)


# -- proxies and other programs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3"])
def test_no_proxy_is_used_for_this_machine(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    proxy = serve((502, PAGE, b"<html>"))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert parse_address(f"{host}:1").is_local
    if host != "127.1.2.3":
        assert Client(f"{host}:{serve().port}").jobs() == []
    assert proxy.seen == []
    assert parse_address("[::1]:8081").is_local
    assert not parse_address("10.0.0.1:8081").is_local


@pytest.mark.parametrize("code", [200, 403, 407, 502])
def test_the_answer_of_a_proxy_is_not_taken_for_flinks(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    proxy = serve((code, PAGE, b"<html>blocked</html>"))
    monkeypatch.setenv("http_proxy", f"http://me:s3cret@127.0.0.1:{proxy.port}")
    fault = fault_of("flink.example:8081")
    assert fault.faults[0].code == "NOT_FLINK"
    assert f"comes from the proxy http://***@127.0.0.1:{proxy.port}" in str(fault)
    assert f"({code} " in str(fault)
    assert "s3cret" not in str(fault)
    monkeypatch.setenv("no_proxy", "flink.example")
    seen = len(proxy.seen)
    assert "host name is not known" in str(fault_of("flink.example:8081"))
    assert len(proxy.seen) == seen


@pytest.mark.parametrize("code", [407, 502])
def test_a_proxy_that_makes_no_tunnel_is_named(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    proxy = serve((code, PAGE, b""))
    monkeypatch.setenv("https_proxy", f"http://me:s3cret@127.0.0.1:{proxy.port}")
    fault = fault_of("https://flink.example")
    assert fault.faults[0].code == "PROXY"
    assert f"https://flink.example cannot be reached through the proxy http://***@127.0.0.1:{proxy.port}" in str(fault)
    assert ("it refuses" in str(fault)) == (code == 407)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((200, PAGE, b"<html>Welcome to nginx</html>"), "(200 OK, text/html) is not from a JobManager"),
        ((404, {"Content-Type": "text/plain"}, b"default backend - 404"), "(404 Not Found, text/plain) is not from"),
        ((404, {"Content-Type": "application/json"}, b'{"message":"no Route matched"}'), "(404 Not Found, application"),
        ((200, {"Content-Type": "application/json"}, b"[1]"), "(200 OK, application/json) is not from a JobManager"),
        ((503, PAGE, b"<html>no backend</html>"), "(503 Service Unavailable, text/html) is not from a JobManager"),
        ((302, {"Location": "https://sso.example/login?token=abc"}, b""), "redirects to https://sso.example/login: "),
    ],
)
def test_another_program_is_not_taken_for_a_jobmanager(serve: Callable[..., Server], reply: Reply, words: str) -> None:
    fault = fault_of(f"127.0.0.1:{serve(reply).port}")
    assert isinstance(fault.faults[0].code, str)
    assert fault.faults[0].code == NotFlink.code
    assert words in str(fault)
    assert "token" not in str(fault)


def test_a_gateway_without_a_backend_for_a_moment_is_asked_again(serve: Callable[..., Server]) -> None:
    replies = iter([(502, PAGE, b"<html>"), NO_JOBS])
    assert Client(f"127.0.0.1:{serve(lambda _: next(replies)).port}").jobs() == []


# -- ZooKeeper, Ctrl-C -------------------------------------------------------------------------------------------------


def pyctl_process(*arguments: str) -> subprocess.Popen[str]:
    """Takes Ctrl-C as in a terminal, also where what runs these tests ignores it, as a shell has its jobs do."""
    return subprocess.Popen(
        [sys.executable, "-m", "pyctl", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_zookeeper_that_is_not_there_is_one_sentence_in_bounded_time() -> None:
    with socket.socket() as held:  # bound and not listening: nobody else takes the port meanwhile
        held.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{held.getsockname()[1]}"
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "pyctl", "jobs", "-m", f"zookeeper://{where}/flink/default"],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
    assert time.monotonic() - started < 30
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr == f"error: The ZooKeeper at {where} does not answer: no connection.\n"


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupted_wait_says_that_the_rescale_goes_on(jobmanager: FakeJobManager, as_json: bool) -> None:
    jobmanager.on_rescale((202, {"request_id": "r1"}))
    polled = threading.Event()

    def answer(_: object) -> tuple[int, object]:
        polled.set()
        return 200, status("MIGRATING", 1)

    jobmanager.routes[f"GET /jobs/{JOB}/drrs/rescales/r1"] = answer
    more = ("--json",) if as_json else ()
    process = pyctl_process("rescale", "-m", jobmanager.address, "-p", "4", "--wait", *more)
    assert polled.wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    sentence = (
        f"Interrupted. The rescale r1 goes on: `pyctl status {JOB} --id r1` shows it, "
        f"`pyctl abort {JOB} --id r1` turns it back."
    )
    if as_json:
        assert json.loads(out) == {
            "job_id": JOB, "request_id": "r1", "errors": [{"code": "INTERRUPTED", "message": sentence}]
        }  # fmt: skip
    else:
        assert err.endswith(f"error: {sentence}\n")
        assert "Traceback" not in err
    assert not [path for method, path, _ in jobmanager.requests if path.endswith("/abort")]
