"""ask and review on the command line, with an endpoint of this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("openai", reason="the extra llm is not installed")
PROPOSED = {"memory": [{"text": "Ana has a red boat", "source": 1}, {"text": "Ana has a boat", "source": 1}]}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Answers questions with a citation, and proposes two memories."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = json.dumps(PROPOSED) if "response_format" in body else "She has a boat [m:ferry] [m:ship]."
            message: dict[str, Any] = {"role": "assistant", "content": text}
            value = {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                     "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                     "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}  # fmt: skip
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    monkeypatch.setenv("ZEROMEM_CHAT_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
    monkeypatch.setenv("ZEROMEM_CHAT_MODEL", "m")
    yield
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_question_is_answered_with_its_memories(cli: Any, endpoint: None) -> None:
    """The answer, then each memory that it names; what the model made up is told beside it."""
    cli("add", "Ana has a boat and Ben takes the ferry.")
    done = cli("ask", "What boat does Ana have, and the ferry?")
    assert done.out.splitlines()[0] == "She has a boat [m:ferry]."
    assert done.out.splitlines()[1].endswith("Ana has a boat and Ben takes the ferry.")
    assert "ship" in done.err and "1 call" in done.err
    told = cli("ask", "What boat does Ana have, and the ferry?", "--json").json()
    assert (told["unknown"], [one["pointer"] for one in told["citations"]]) == (["ship"], ["ferry"])


def test_proposals_are_listed_and_judged(cli: Any, endpoint: None) -> None:
    """`maintain` tells what became of each, `review` lists what waits."""
    cli("add", "Ana has a boat and Ben takes the ferry.")
    told = cli("maintain").out
    assert "model: 1 message read, 1 stored, 1 quarantined" in told and "quarantined Ana has a red boat" in told
    assert cli("maintain", "--json").json()["proposed"]["read"] == 0
    (entry,) = cli("review", "--json").json()["entries"]
    assert entry["text"] == "Ana has a red boat" and cli("review").out.startswith(entry["id"])
    assert cli("review", "--accept", entry["id"], "--reject", entry["id"]).code == 2
    assert cli("review", "--reject", "q0").code == 1
    assert "stored" in cli("review", "--accept", entry["id"]).out
    assert cli("review").err == "nothing waits to be judged\n"
    assert cli("review", "--verdict", "accepted").out.startswith(entry["id"])
    assert "Ana has a red boat" in cli("list").out


def test_without_a_model_the_setting_is_named(cli: Any) -> None:
    """Bad input, and which one."""
    cli("add", "Ana has a boat.")
    done = cli("ask", "What boat?")
    assert (done.code, "ZEROMEM_CHAT_URL" in done.err) == (2, True)


def test_a_dead_model_is_told_and_nothing_is_lost(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ask` fails as what may be tried again; `maintain` goes on with a warning."""
    monkeypatch.setenv("ZEROMEM_CHAT_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ZEROMEM_CHAT_MODEL", "m")
    cli("add", "Ana has a boat.")
    assert cli("ask", "What boat does Ana have?").code == 4
    done = cli("maintain")
    assert (done.code, "cannot be reached" in done.out, "1 message to be tried again" in done.out) == (0, True, True)
