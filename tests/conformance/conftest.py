"""Clients of the surfaces that the cases speak of; each import fails until its surface is built."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from zeromem import Memory


class Peer:
    """Speaks JSON-RPC with a server over its pipes, one object a line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0

    def send(self, line: bytes) -> Any:
        """Send a raw line, get the next line of the server."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, method: str, **params: Any) -> Any:
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return self.send(json.dumps(request).encode())

    def tool(self, name: str, **arguments: Any) -> Any:
        return self.call("tools/call", name=name, arguments=arguments)


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[Any]:
    """A client of the REST surface on a fresh file."""
    app = importlib.import_module("zeromem.surfaces.rest").app
    client = importlib.import_module("starlette.testclient").TestClient
    with client(app(tmp_path / "memory.db")) as opened:
        yield opened


@pytest.fixture
def mcp(tmp_path: Path) -> Iterator[Peer]:
    """The MCP server as a process on a fresh file, scope user u."""
    module = importlib.import_module("zeromem.surfaces.mcp")
    command = [sys.executable, "-m", module.__name__, "--db", str(tmp_path / "memory.db"), "--user", "u"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Peer(process)
        process.terminate()


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Any]:
    """The chat gateway in front of a scripted upstream, on a fresh file."""
    module = importlib.import_module("zeromem.surfaces.gateway")
    with module.scripted(tmp_path / "memory.db") as client:
        yield client


@pytest.fixture
def memtool(tmp_path: Path) -> Callable[..., Any]:
    """The file-style memory tool, rooted in the test's folder."""
    module = importlib.import_module("zeromem.surfaces.integrations.memory_tool")
    return module.tool(tmp_path)


@pytest.fixture
def with_chat(open_memory: Callable[..., Memory]) -> Callable[..., Any]:
    """`with_chat(reply, …)` is a memory whose model returns these strings in order; its `.chat` counts the calls."""

    def make(*replies: str, **options: Any) -> Any:
        chat = importlib.import_module("zeromem.models.scripted").ScriptedChat(replies)
        memory: Any = open_memory(chat=chat, **options)
        return memory

    return make
