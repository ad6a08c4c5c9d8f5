"""Addresses of a JobManager as people give them, and what of them may be shown."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pyctl.errors import UsageError


@dataclass(frozen=True)
class Address:
    """An HTTP base URL without a slash at its end; the user and password that were in it stand apart."""

    url: str
    auth: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether it is this machine by its loopback interface, where no proxy has anything to do."""
        host = urlsplit(self.url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return self.url


def parse_address(text: str) -> Address:
    """`host:port`, or an http(s) URL with or without a port, a path and `user:password@`. Raises UsageError."""
    given = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise _not_one(text) from None
    complete = parts.hostname and (port is not None or ("://" in text and not parts.netloc.endswith(":")))
    if parts.scheme not in {"http", "https"} or not complete or parts.query or parts.fragment or re.search(r"\s", text):
        raise _not_one(text)
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    host = parts.netloc.rpartition("@")[2]
    return Address(f"{parts.scheme}://{host}{parts.path.rstrip('/')}", auth)


def public(text: str) -> str:
    """An address, well-formed or not, without the user and password in it."""
    scheme, sign, rest = text.rpartition("://")
    return f"{scheme}{sign}***@{rest.rpartition('@')[2]}" if "@" in rest else text


def _not_one(text: str) -> UsageError:
    return UsageError(
        f"'{public(text)}' is not the address of a JobManager: give HOST:PORT, such as 127.0.0.1:8081, an http or "
        f"https URL, or zookeeper://HOST:PORT/flink/default."
    )
