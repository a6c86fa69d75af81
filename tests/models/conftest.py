"""An endpoint on this machine that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Fake:
    """What the endpoint was asked, and what it answers: by `answer(path, body)`, a tuple of a status and a JSON value, bytes, or a list of
    server-sent events (None: the connection breaks)."""

    url: str = ""
    asked: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    answer: Callable[[str, dict[str, Any]], Any] = lambda path, body: (404, {})
    delay: float = 0.0


def completion(text: str, **more: Any) -> dict[str, Any]:
    """A chat completion as OpenAI gives it."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 40},
    }
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, **more}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny-1",
        "choices": [choice],
        "usage": usage,
    }


def chunk(text: str | None = None, **more: Any) -> dict[str, Any]:
    """A piece of a streamed one."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None, **more}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-1", "choices": [choice]}


@pytest.fixture
def fake() -> Iterator[Fake]:
    """A running endpoint."""
    state = Fake()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
            time.sleep(state.delay)
            status, value = state.answer(self.path, body)
            if value is None:  # hang up without a word
                self.close_connection = True
                self.connection.close()
                return
            events = isinstance(value, list)
            data = value if isinstance(value, bytes) else _events(value) if events else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if events else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def _events(chunks: list[Any]) -> bytes:
    return b"".join(
        b"data: " + (one.encode() if isinstance(one, str) else json.dumps(one).encode()) + b"\n\n" for one in chunks
    )
