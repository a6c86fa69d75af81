"""Measures speed and size on synthetic text, beside what plain sqlite3 does with the same pragmas in the same run.

In: the embedder's name, `limit` for smaller scopes. Out: medians. Vectors of the large scopes are random (they cost a recall the
same as real ones) but bear the embedder's name and size, so that the real one opens the file. Query embedding is not part of
`recall_*`; `query_embed_ms` stands beside it. The file with the other scopes is built once and kept in the cache folder.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from zlib import crc32

import numpy as np

from bench.cache import folder
from bench.metrics import percentiles
from zeromem import Memory
from zeromem.models.local import embedder as embedder_of
from zeromem.ports import Embedder, Vectors

_WORDS = 20_000
_QUERIES = 200
_SESSION = 40  # messages
_ALIKE = 0.8  # mean cosine of random vectors, as e5 has it
# Those of the memory's own connection.
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "cache_size = -16384",
    "temp_store = MEMORY",
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Events in the scopes that are measured."""

    single: int = 2_000
    near: int = 10_000
    far: int = 100_000
    scopes: int = 1_000
    each: int = 1_000

    @classmethod
    def within(cls, limit: int | None) -> Sizes:
        """Nothing larger than `limit` events, the large scope ten times that, and a tenth as many other scopes."""
        if limit is None:
            return cls()
        scopes = max(1, min(1_000, limit // 10))
        return cls(min(2_000, limit), min(10_000, limit), min(100_000, 10 * limit), scopes, min(1_000, limit))


class RandomVectors:
    """Unit vectors that depend on the text alone, in the name of a real embedder: they cost nothing to make.

    They share a direction, so that their cosines lie where the embedder's usually lie and no stage takes a short cut.
    """

    def __init__(self, like: Embedder | None) -> None:
        self.name = like.name if like else "random"
        self.version = like.version if like else "1"
        self.dimension = like.dimension if like else 384
        self.usual = getattr(like, "usual", (_ALIKE, 0.025))
        self._common = np.full(self.dimension, (_ALIKE / self.dimension) ** 0.5, np.float32)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> Vectors:
        vector = np.random.default_rng(crc32(text.encode())).standard_normal(self.dimension, np.float32)
        vector = self._common + vector * ((1 - _ALIKE) / self.dimension) ** 0.5
        return vector / np.linalg.norm(vector)


def measure(name: str, limit: int | None) -> dict[str, Any]:
    """Every speed figure."""
    sizes, real = Sizes.within(limit), embedder_of(name)
    out: dict[str, Any] = {"dataset": "speed", "embedder": name, "sizes": asdict(sizes), "cores": os.cpu_count()}
    out["load"] = [
        round(figure, 1) for figure in os.getloadavg()
    ]  # of others, before the run: above the cores all is slower
    with _folder() as place:
        _say("adding")
        out |= _adds(place, sizes)
        out |= _embeds(place, real)
        _say(f"recall at {sizes.near} events")
        near = place / "near.db"
        _fill(near, real, [("me", sizes.near)])
        out |= _recalls(near, real, "recall")
        _say("the command line")
        out |= _cli(near)
        _say(f"recall at {sizes.far} events")
        far = place / "far.db"
        _fill(far, real, [("me", sizes.far)])
        out |= _recalls(far, real, "recall_100k")
        out["open_s"] = _opens(far, real)
        out |= _process(far, name)
        _say(f"recall beside {sizes.scopes} scopes")
        many = _many(sizes, real)
        out |= _recalls(many, real, "recall_1000_scopes")
        out["floor"] = _floor(place, sizes)
    return out


def _say(what: str) -> None:
    print(f"  {time.strftime('%H:%M:%S')} {what}", file=sys.stderr)


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="zeromem-speed-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _took(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# -- text

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "is")]
_HAN = "我们今天去了公司开会讨论新的项目计划老师说明天可能下雨所以大家早点回家晚上想吃火锅周末带孩子看电影"


def _vocabulary() -> list[str]:
    rng = random.Random(7)
    return ["".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(1, 4))) for _ in range(_WORDS)]


class _Writer:
    """Short messages of about twelve words, their words as rare as in speech (Zipf); one in ten is Chinese."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._vocabulary = _vocabulary()

    def message(self) -> dict[str, str]:
        role = self._rng.choice(("user", "assistant"))
        if self._rng.random() < 0.1:
            return {"role": role, "content": "".join(self._rng.choices(_HAN, k=self._rng.randint(10, 30))) + "。"}
        words = self.words(self._rng.randint(6, 18))
        return {"role": role, "content": f"{' '.join(words)} {self._rng.randint(1, 9999)}."}

    def words(self, count: int) -> list[str]:
        return [self._vocabulary[min(_WORDS - 1, int(self._rng.paretovariate(0.6)) - 1)] for _ in range(count)]

    def messages(self, count: int) -> list[dict[str, str]]:
        return [self.message() for _ in range(count)]


# -- writing


def _adds(place: Path, sizes: Sizes) -> dict[str, Any]:
    writer = _Writer(1)
    with Memory.open(place / "adds.db", embedder="none") as memory:
        memory.add(writer.messages(50), user="warm")  # loads the token counter
        singly = [_took(lambda: _one_by_one(memory, writer.messages(200))) for _ in range(max(1, sizes.single // 200))]
        probe = "quixotic zanzibar marmalade"
        memory.add(probe, user="me")
        found = [hit.text for hit in memory.search(probe, k=1, user="me")]
        batches = [_took(partial(memory.add, writer.messages(1000), user="batch")) for _ in range(5)]
    return {
        "add_per_s": round(200 / median(singly)),
        "batch_add_per_s": round(1000 / median(batches)),
        "searchable_at_once": found == [probe],
    }


def _one_by_one(memory: Memory, messages: Sequence[dict[str, str]]) -> None:
    for message in messages:
        memory.add(message, user="me", session="s")


def _embeds(place: Path, real: Embedder | None) -> dict[str, Any]:
    """Bulk embedding through the memory, and the embedder by itself on as many texts of the same make."""
    if real is None:
        return {"embed_per_s": None, "embed_per_s_reason": "no embedder"}
    writer, texts, rounds = _Writer(2), 128, 3
    real.passages(["warm"] * 16)
    real.query("warm")
    ours, own = [], []
    with Memory.open(place / "embeds.db", embedder=real, background=False) as memory:
        for _ in range(rounds):
            alone = [" ".join(writer.words(25)) for _ in range(texts)]
            own.append(_took(partial(real.passages, alone)))
            memory.add([{"role": "user", "content": " ".join(writer.words(25))} for _ in range(texts)], user="me")
            ours.append(_took(lambda: memory.embed_pending(user="me")))
        asked = [_took(lambda: real.query(" ".join(writer.words(8)))) * 1000 for _ in range(50)]
    return {
        "embed_per_s": round(texts / median(ours), 1),
        "embedder_per_s": round(texts / median(own), 1),
        "query_embed_ms": percentiles(asked),
    }


def _fill(path: Path, real: Embedder | None, scopes: Sequence[tuple[str, int]]) -> None:
    """Scopes of messages in sessions of forty, a session every six hours; the first scope gets vectors."""
    writer = _Writer(3)
    with Memory.open(path, embedder=RandomVectors(real), background=False) as memory:
        for user, count in scopes:
            for start in range(0, count, _SESSION):
                messages = writer.messages(min(_SESSION, count - start))
                at = 1_700_000_000 + start // _SESSION * 6 * 3600
                memory.add(messages, user=user, session=f"s{start // _SESSION}", at=at)
        memory.embed_pending(user=scopes[0][0])


def _many(sizes: Sizes, real: Embedder | None) -> Path:
    """The file with the scope that is measured and all the others beside it; built once."""
    name = f"speed-{real.name if real else 'none'}-{sizes.near}-{sizes.scopes}x{sizes.each}.db"
    path = folder() / name
    if not path.exists():
        _say("building the file with the other scopes")
        building = path.with_suffix(".building")
        for old in path.parent.glob(building.name + "*"):
            old.unlink()
        _fill(building, real, [("me", sizes.near), *((f"other{i}", sizes.each) for i in range(sizes.scopes))])
        building.rename(path)
    return path


# -- reading


def _recalls(path: Path, real: Embedder | None, key: str) -> dict[str, Any]:
    writer = _Writer(4)
    with Memory.open(path, embedder=RandomVectors(real), background=False) as memory:
        first = _took(lambda: memory.recall(" ".join(writer.words(5)), user="me")) * 1000
        took, spoke = [], 0
        for _ in range(_QUERIES):
            query = " ".join(writer.words(5))
            started = time.perf_counter()
            context = memory.recall(query, user="me")
            took.append((time.perf_counter() - started) * 1000)
            spoke += bool(context)
    figures = {**percentiles(took), "first": round(first, 1), "answered": round(spoke / _QUERIES, 2)}
    return {f"{key}_ms": figures}


def _opens(path: Path, real: Embedder | None) -> float:
    def once() -> None:
        Memory.open(path, embedder=RandomVectors(real), background=False).close()

    return round(median(_took(once) for _ in range(5)), 4)


_CHILD = """
import resource, sys, time
started = time.perf_counter()
from zeromem import Memory
imported = time.perf_counter()
with Memory.open(sys.argv[1], embedder=sys.argv[2], background=False) as memory:
    opened = time.perf_counter()
    context = memory.recall("where is my kola", user="me")
    recalled = time.perf_counter()
try:  # ru_maxrss also counts what the parent held before this process became its own
    lines = open("/proc/self/status").read().splitlines()
    rss = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
except OSError:
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 ** 2
print(round(rss), round(imported - started, 3), round(opened - imported, 3), round(recalled - opened, 3))
"""


def _process(path: Path, name: str) -> dict[str, Any]:
    """A fresh process with the real embedder: its memory, and the seconds of import, open and first recall."""
    runs = []
    for _ in range(3):
        command = [sys.executable, "-c", _CHILD, str(path), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return {"rss_mb": None, "rss_reason": done.stderr.strip().splitlines()[-1]}
        runs.append([float(figure) for figure in done.stdout.split()])
    rss, imported, opened, recalled = (median(column) for column in zip(*runs, strict=True))
    return {"rss_mb": rss, "process_s": {"import": imported, "open": opened, "first_recall": recalled}}


def _cli(path: Path) -> dict[str, Any]:
    """`zeromem recall` as a process, interpreter start and all."""
    run = "import sys; from zeromem.surfaces.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", run, "--db", str(path), "--user", "me", "recall", "where is my kola"]
    took = []
    for _ in range(5):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        took.append(time.perf_counter() - started)
        if done.returncode:
            words = (done.stderr.strip() or done.stdout.strip()).splitlines()
            return {"cli_s": None, "cli_reason": words[-1] if words else f"exit code {done.returncode}"}
    return {"cli_s": round(median(took), 3)}


# -- the floor


def _floor(place: Path, sizes: Sizes) -> dict[str, Any]:
    """Plain sqlite3 with the same pragmas: one row a transaction, a batch in one, and an indexed select."""
    writer = _Writer(5)
    file = sqlite3.connect(place / "floor.db", isolation_level=None)
    for pragma in _PRAGMAS:
        file.execute(f"PRAGMA {pragma}")
    file.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, owner TEXT, name TEXT, text TEXT)")
    file.execute("CREATE UNIQUE INDEX by_name ON events (owner, name)")
    numbers = iter(range(10**9))

    def rows(count: int) -> list[tuple[str, str, str]]:
        return [("me", f"n{next(numbers)}", message["content"]) for message in writer.messages(count)]

    def singly(held: Sequence[tuple[str, str, str]]) -> None:
        for row in held:
            file.execute("BEGIN IMMEDIATE")
            file.execute("INSERT INTO events (owner, name, text) VALUES (?, ?, ?)", row)
            file.execute("COMMIT")

    def together(held: Sequence[tuple[str, str, str]]) -> None:
        file.execute("BEGIN IMMEDIATE")
        file.executemany("INSERT INTO events (owner, name, text) VALUES (?, ?, ?)", held)
        file.execute("COMMIT")

    def select(count: int) -> None:
        for i in range(count):
            file.execute("SELECT text FROM events WHERE owner = ? AND name = ?", ("me", f"n{i}")).fetchone()

    alone = [_took(partial(singly, rows(200))) for _ in range(max(1, sizes.single // 200))]
    batches = [_took(partial(together, rows(1000))) for _ in range(5)]
    selects = [_took(lambda: select(1000)) for _ in range(5)]
    file.close()
    return {
        "add_per_s": round(200 / median(alone)),
        "batch_add_per_s": round(1000 / median(batches)),
        "select_per_s": round(1000 / median(selects)),
    }
