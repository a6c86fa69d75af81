"""Parts that many tests share: a scripted clock, memories on real files that are closed at the end, the CLI as a process."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from zeromem import Memory
from zeromem.store.migrate import APPLICATION_ID, migrations

settings.register_profile(
    "zeromem",
    deadline=None,  # the machine may be busy; a slow example is no failure
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("zeromem")

_CLI = "import sys; from zeromem.surfaces.cli import main; sys.exit(main())"


def pytest_configure(config: pytest.Config) -> None:
    # Python 3.11 and 3.12 deprecate a call that 3.13 took back into favour; the tokenizer's package makes it.
    config.addinivalue_line("filterwarnings", "ignore:open_binary is deprecated:DeprecationWarning")


class ScriptedClock:
    """Time that a test sets. Each look moves it on by `step` microseconds; 0 freezes it."""

    def __init__(self, start: str = "2026-07-25T02:00:00+00:00", step: int = 1_000) -> None:
        self.step = step
        self.now = 0
        self.set(start)

    def set(self, stamp: str) -> None:
        seconds = (datetime.fromisoformat(stamp) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        self.now = round(seconds * 1_000_000)

    def __call__(self) -> int:
        self.now += self.step
        return self.now


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the developer's shell must not reach a test."""
    for name in [name for name in os.environ if name.startswith("ZEROMEM_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def older(tmp_path: Path) -> Callable[[int], AbstractContextManager[sqlite3.Connection]]:
    """`with older(3) as connection:` the file `m.db` of the test's folder, as a zeromem with that schema made it."""

    @contextmanager
    def make(version: int) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(tmp_path / "m.db", isolation_level=None)) as connection:
            for script in migrations()[:version]:
                connection.executescript(script)
            connection.execute(f"PRAGMA user_version = {version}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            yield connection

    return make


@pytest.fixture
def clock() -> ScriptedClock:
    return ScriptedClock()


@pytest.fixture
def open_memory(tmp_path: Path, clock: ScriptedClock) -> Iterator[Callable[..., Memory]]:
    """`open_memory("a.db", embedder=…)` opens a memory in the test's folder; all are closed at the end.

    Without an embedder named, the default one is used. Nothing is embedded in the background, so that a test sees one state.
    """
    opened: list[Memory] = []

    def make(name: str | Path = "memory.db", **options: Any) -> Memory:
        path = name if name == ":memory:" else tmp_path / name
        memory = Memory.open(path, **{"clock": clock, "background": False, **options})
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def mem(open_memory: Callable[..., Memory]) -> Memory:
    """A fresh memory on a file, with the default embedder and a scripted clock."""
    return open_memory()


@pytest.fixture
def plain(open_memory: Callable[..., Memory]) -> Memory:
    """A fresh memory on a file without any embedder: the keyword arm only."""
    return open_memory(embedder="none")


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """`cli("search", "tea", env={…})` runs the command line as a process on a file of the test's folder."""

    def run(
        *words: str, env: Mapping[str, str] | None = None, embedder: str = "none"
    ) -> subprocess.CompletedProcess[bytes]:
        given = {"ZEROMEM_DB": str(tmp_path / "cli.db"), "ZEROMEM_USER": "u", "ZEROMEM_EMBEDDER": embedder}
        return subprocess.run(
            [sys.executable, "-c", _CLI, *words],
            env={**os.environ, **given, **(env or {})},
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
            check=False,
        )

    return run
