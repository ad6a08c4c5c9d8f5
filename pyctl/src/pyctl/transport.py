"""One HTTP request to a JobManager, and what can be in the way: certificates, proxies, programs that are not Flink."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import requests
from requests.utils import get_environ_proxies, get_netrc_auth, select_proxy

from pyctl.address import Address, public
from pyctl.errors import NotFlink, NotReachable, UsageError

CA_VARIABLE = "PYCTL_CA_FILE"

_GATEWAY = {502, 503, 504}

# Where Flink answers a list and no object.
_LISTS = ("/metrics", "/watermarks", "/jobmanager/config")
_UNKNOWN_ISSUER = {18, 19, 20, 21}


class Unavailable(Exception):
    """Nobody can answer just now; the same request may work a little later. `code` is the fault's if it does not."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code


CONNECT_S = 10.0
"""For a connection: a JobManager that is busy accepts it at once and answers late."""


@dataclass(frozen=True)
class Upload:
    """A file to be sent as a form; it is read while it is sent."""

    field: str
    name: str
    content: BinaryIO
    content_type: str


class Transport:
    """Sends requests, one at a time. Not thread-safe (it holds one HTTP session)."""

    def __init__(self, timeout_s: float, ca_file: Path | str | None = None) -> None:
        """`ca_file` holds the certificates (PEM) to trust instead of the usual ones; else `PYCTL_CA_FILE` names it.

        Raises UsageError if it holds none.
        """
        self._timeout_s = timeout_s
        self._session = requests.Session()
        # Proxies, bundles and .netrc of the environment are looked up here, for each address.
        self._session.trust_env = False
        self._verify: str | bool = True
        usual = [os.environ.get(name) for name in (CA_VARIABLE, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")]
        if chosen := next((str(one) for one in (ca_file, *usual) if one), None):
            self._verify = _checked(chosen)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def send(
        self, address: Address, method: str, path: str, payload: bytes | Upload | None, content_type: str | None
    ) -> requests.Response:
        """Send one request and return an answer that is JSON. An upload has a content type by itself.

        Raises NotReachable and NotFlink where a repetition is no use; requests.ConnectionError, requests.Timeout and
        Unavailable where it may be.
        """
        proxies = {} if address.is_local else get_environ_proxies(address.url)
        proxy = select_proxy(address.url, proxies)
        headers = {"Accept": "application/json"} | ({} if content_type is None else {"Content-Type": content_type})
        files = None
        if isinstance(payload, Upload):
            files = {payload.field: (payload.name, payload.content, payload.content_type)}
        try:
            answer = self._session.request(
                method,
                address.url + path,
                data=None if isinstance(payload, Upload) else payload,
                files=files,
                headers=headers,
                auth=address.auth or get_netrc_auth(address.url),
                proxies=proxies,
                verify=self._verify,
                timeout=(min(CONNECT_S, self._timeout_s), self._timeout_s),
                # A POST would arrive as a GET, and a password might go elsewhere.
                allow_redirects=False,
            )
        except requests.exceptions.SSLError as error:
            raise NotReachable(_tls_fault(address, error), code="TLS") from error
        except requests.exceptions.ProxyError as error:
            why = "it refuses" if "407" in str(error) or "403" in str(error) else "it does not answer"
            raise NotReachable(f"{address} cannot be reached through {_named(proxy)}: {why}.", code="PROXY") from error
        return _checked_answer(answer, address, proxy)


def plain_cause(error: Exception) -> str:
    """Why a request came to nothing, in a few words."""
    if isinstance(error, requests.Timeout):
        return "the request timed out"
    if isinstance(error, requests.ConnectionError):
        text = str(error)
        for sign, plain in (
            ("Connection refused", "connection refused"),
            ("Name or service not known", "the host name is not known"),
            ("Failed to resolve", "the host name is not known"),
            ("No route to host", "no route to the host"),
        ):
            if sign in text:
                return plain
        return "the connection broke"
    return str(error)


@cache
def _checked(ca_file: str) -> str:
    # Once: to read all usual authorities takes a tenth of a second, for each client there is.
    folder = Path(ca_file).is_dir()
    try:
        ssl.create_default_context(cafile=None if folder else ca_file, capath=ca_file if folder else None)
    except (OSError, ssl.SSLError) as error:
        why = "it cannot be read" if not isinstance(error, ssl.SSLError) else "there is no certificate in PEM in it"
        raise UsageError(f"The CA file {ca_file} is of no use: {why}.") from error
    return ca_file


def _checked_answer(answer: requests.Response, address: Address, proxy: str | None) -> requests.Response:
    """The answer, if it can be Flink's: those are JSON objects (a few lists apart), and never redirects."""
    flinks = _is_flinks(answer)
    if answer.status_code == 503 and flinks:
        raise Unavailable(f"No JobManager answers at {address}: it is up, but has no leader yet.", NotReachable.code)
    if flinks:
        return answer
    sentence = _stranger(answer, address, proxy)
    if answer.status_code in _GATEWAY:
        raise Unavailable(sentence, NotFlink.code)
    raise NotFlink(sentence)


def _is_flinks(answer: requests.Response) -> bool:
    if answer.is_redirect or answer.status_code in {401, 407}:
        return False
    try:
        body: Any = answer.json()
    except requests.JSONDecodeError:
        return False
    if isinstance(body, list):
        return answer.ok and any(part in answer.url for part in _LISTS)
    return isinstance(body, dict) and (answer.ok or isinstance(body.get("errors"), list))


def _stranger(answer: requests.Response, address: Address, proxy: str | None) -> str:
    """One sentence about an answer that is not Flink's."""
    status = f"{answer.status_code} {answer.reason}".strip()
    if answer.is_redirect:
        target = public(answer.headers.get("Location", "")).partition("?")[0]
        return f"{address} redirects to {target}: give the address there with -m."
    if answer.status_code == 401:
        return (
            f"{address} answers {status}: user and password are missing or wrong; give them in the address "
            f"(https://USER:PASSWORD@HOST) or in ~/.netrc."
        )
    kind = answer.headers.get("Content-Type", "").partition(";")[0] or "no content type"
    who = (
        f"it comes from {_named(proxy)}, or from another program behind it; NO_PROXY names hosts to be asked directly"
        if proxy
        else "a proxy or another program answers there; check host, port and path"
    )
    return f"The answer of {address} ({status}, {kind}) is not from a JobManager: {who}."


def _named(proxy: str | None) -> str:
    return f"the proxy {public(proxy)}" if proxy else "a proxy"


def _tls_fault(address: Address, error: Exception) -> str:
    """What is wrong with the certificate or with TLS at all."""
    found = next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None)
    if isinstance(found, ssl.SSLCertVerificationError):
        remedy = (
            f"; name its certificate authority with --ca-file FILE or {CA_VARIABLE}"
            if found.verify_code in _UNKNOWN_ISSUER
            else ""
        )
        return f"The certificate of {address} is not accepted: {found.verify_message.rstrip('.')}{remedy}."
    if found is not None and found.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"}:
        return f"{address} does not speak TLS: give it as http://."
    reason = (found.reason if found is not None else None) or "the handshake failed"
    return f"No TLS connection to {address}: {reason.replace('_', ' ').lower()}."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those it wraps; urllib3 keeps them in `reason` and in its arguments."""
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, getattr(one, "reason", None), *one.args, one.__context__]
