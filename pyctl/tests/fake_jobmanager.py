"""A JobManager of a few routes, on a real socket: for tests in which a sequence of answers matters."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]
JOB = "a" * 32
VERTEX = "b" * 32


def vertex(**changes: Any) -> dict[str, Any]:
    """A supported vertex `count`: parallelism 2, 8 key groups, 100 bytes each."""
    base = {
        "vertex_id": VERTEX,
        "operator_id": "c" * 32,
        "uid": "count",
        "name": "running count",
        "supported": True,
        "reason": None,
        "parallelism": 2,
        "ceiling": 8,
        "max_parallelism": 8,
        "active": [0, 1],
        "placement": [0, 0, 0, 0, 1, 1, 1, 1],
        "subtasks": [
            {"index": i, "task_manager": f"tm-{i}", "host": "h", "key_groups": 4, "records": 40, "bytes": 400}
            for i in range(2)
        ],
        "key_groups": [{"id": g, "records": 10, "entries": 5, "bytes": 100} for g in range(8)],
    }
    return {**base, **changes}


def vertices(*found: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Answer of the vertices route."""
    base = {
        "job_id": JOB,
        "job_name": "nexmark",
        "elastic": True,
        "reason": None,
        "rescale": None,
        "slots": {"free": 3, "total": 6},
        "vertices": list(found),
    }
    return {**base, **changes}


def status(phase: str, moved: int = 0, **changes: Any) -> dict[str, Any]:
    """Answer of the status route."""
    base = {
        "request_id": "r1",
        "vertex_id": VERTEX,
        "vertex_name": "count",
        "phase": phase,
        "strategy": "drrs",
        "cause": None,
        "reason": None,
        "from_parallelism": 2,
        "to_parallelism": 4,
        "min_key_groups": 4,
        "key_groups": {"moved": moved, "total": 4},
        "bytes": {"moved": moved * 100, "total": 400},
        "subscales": {"open": 0, "done": moved, "total": 4},
        "eta_ms": 10,
        "accepted_at": 1_700_000_000_000,
        "ended_at": None,
        "duration_ms": 900,
        "phases": [{"phase": phase, "at": 1_700_000_000_000, "duration_ms": 2, "reason": None}],
        "records": {"rerouted": 5, "set_aside": 7},
        "suspension_ms": {"0": 0, "2": 14},
        "waits": {
            "propagation": {"count": 3, "total_ms": 75, "longest_ms": 40},
            "alignment": {"count": 3, "total_ms": 6, "longest_ms": 4},
            "turn": {"count": 0, "total_ms": 0, "longest_ms": 0},
            "dependency": {"count": 10, "total_ms": 204, "longest_ms": 32},
        },
        "mails": [
            {"kind": kind, "count": 8, "p99_us": 900, "max_us": longest}
            for kind, longest in (("Track", 40), ("Start", 12_340), ("Register", 300), ("OpenReader", 1100))
        ],
        "gc_pauses": [{"task_manager": "tm-1", "count": 3, "total_ms": 120, "longest_ms": 85}],
        "exchange": {"bytes": 1000, "busy_ms": 10},
    }
    return {**base, **changes}


def refusal(*codes: str) -> Answer:
    """A 409 with these faults."""
    return 409, {"errors": [{"code": code, "message": f"Sentence about {code}."} for code in codes]}


class FakeJobManager:
    """Answers by route: a list is used up one by one and its last answer stays; a function gets the request's body.

    `requests` holds what came in: (method, path, body).
    """

    def __init__(self) -> None:
        self.routes: dict[str, list[Answer] | Callable[[Any], Answer]] = {}
        self.requests: list[tuple[str, str, Any]] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fake._serve(self)

            def do_POST(self) -> None:
                fake._serve(self)

            def do_DELETE(self) -> None:
                fake._serve(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Tests read stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.on("GET /jobs/overview", {"jobs": [{"jid": JOB, "name": "nexmark", "state": "RUNNING"}]})
        self.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex()))
        self.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": []})
        for task_manager in ("tm-0", "tm-1", "tm-2"):
            self.slots_of(task_manager, JOB)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def on(self, route: str, *bodies: dict[str, Any] | Answer) -> None:
        """Answer `METHOD /path` with these bodies, 200 unless a pair says otherwise."""
        self.routes[route] = [body if isinstance(body, tuple) else (200, body) for body in bodies]

    def slots_of(self, task_manager: str, *jobs: str) -> None:
        """Flink's answer about the slots of a TaskManager: one slot for each of these jobs."""
        self.on(
            f"GET /taskmanagers/{task_manager}", {"id": task_manager, "allocatedSlots": [{"jobId": j} for j in jobs]}
        )

    def on_rescale(self, *answers: Answer) -> None:
        """Answer the POST of a rescale."""
        self.on(f"POST /jobs/{JOB}/drrs/rescales", *answers)

    def posted(self) -> list[dict[str, Any]]:
        """Bodies of the rescale requests that came in."""
        return [body for method, path, body in self.requests if method == "POST" and path.endswith("/drrs/rescales")]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = json.loads(handler.rfile.read(length)) if length else None
        self.requests.append((handler.command, handler.path, body))
        route = self.routes.get(f"{handler.command} {handler.path}")
        if route is None:
            code, answer = 404, {"errors": [f"Not found: {handler.path}"]}
        elif callable(route):
            code, answer = route(body)
        else:
            code, answer = route.pop(0) if len(route) > 1 else route[0]
        payload = json.dumps(answer).encode()
        handler.send_response(code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(payload)))
        handler.end_headers()
        handler.wfile.write(payload)
