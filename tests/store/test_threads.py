"""Many threads on one memory: closing under readers, a database in memory, connections that end with their use, and stress."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from zeromem import Card, Memory, NotFound, Scope, Settings, StoreError
from zeromem.ports import Use
from zeromem.store.sqlite import SQLiteStore
from zeromem.structures.snapshot import Space, load

AT = "2026-07-25T02:00:00+00:00"
ANA = Scope(user="ana")


def together(*works: Callable[[], None]) -> list[BaseException]:
    """Run each in a thread of its own; what they raised."""
    raised: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # handed to the test
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    return raised


_CLOSING = """
import sys, threading
from zeromem import Memory, StoreError
path = sys.argv[1]
memory = Memory.open(path, embedder="none", background=False, count=len)
memory.add([f"note {i} about shelf {i * 7}" for i in range(300)], user="u")
memory.close()
bad = []
for round in range(25):
    memory = Memory.open(path, embedder="none", background=False, count=len)
    ready = threading.Barrier(5)
    def read():
        ready.wait()
        while True:
            try:
                assert len(memory.list(user="u", limit=400)) == 300
                assert memory.search("shelf", user="u")
                assert len(memory.messages(user="u")) == 300
            except StoreError as error:
                if "is closed" not in str(error):
                    bad.append(error)
                return
            except BaseException as error:
                bad.append(error)
                return
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads: thread.start()
    ready.wait()
    memory.close()
    for thread in threads: thread.join()
print(bad)
"""


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_closing_under_readers(tmp_path: Path, name: str) -> None:
    """Closed while four threads read, again and again: every call ends whole or says that the memory is closed."""
    script = _CLOSING if name == "m.db" else _CLOSING.replace("memory.close()\nbad", "bad").replace(
        "for round in range(25):\n    memory = Memory.open(path, embedder=\"none\", background=False, count=len)",
        "for round in range(1):",
    )  # fmt: skip
    path = tmp_path / name if name == "m.db" else name
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.decode().strip(), done.stderr.decode()) == (0, "[]", "")


def test_a_write_at_hand_is_finished_by_close(tmp_path: Path) -> None:
    """`close` waits for the write of another thread; what it acknowledged is in the file."""
    memory = Memory.open(tmp_path / "m.db", embedder="none", background=False, count=len)
    inside = threading.Event()
    closing = threading.Thread(target=memory.close)

    def write() -> None:
        with memory._store.write():
            inside.set()
            closing.start()
            memory.add("the red kettle", user="u")

    assert together(write) == []
    closing.join(20)
    assert inside.is_set() and not closing.is_alive()
    with pytest.raises(StoreError, match="is closed"):
        memory.add("another kettle", user="u")
    with Memory.open(tmp_path / "m.db", embedder="none", background=False) as again:
        assert [card.text for card in again.list(user="u")] == ["the red kettle"]


def test_an_add_that_was_stored_is_acknowledged(tmp_path: Path) -> None:
    """A memory that is closed right after the commit does not turn a stored add into an error."""
    memory = Memory.open(tmp_path / "m.db", embedder="none", background=False, count=len)
    wake = memory._wake

    def close_first() -> None:
        memory.close()
        wake()

    memory._wake = close_first  # type: ignore[method-assign]
    assert memory.add("the red kettle", user="u").count("stored") == 1


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_feedback_beside_a_reset(tmp_path: Path, name: str) -> None:
    """A reset that falls into a feedback waits for its end; a feedback that comes after it finds no context."""
    path: str | Path = name if name == ":memory:" else tmp_path / name
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        memory.add("the red kettle is on the shelf", user="u")
        context = memory.recall("where is the red kettle?", user="u")
        resetting = threading.Thread(target=memory.reset)
        card = memory._store.card

        def reset_first(id_: str) -> object:
            if resetting.ident is None:
                resetting.start()
                resetting.join(0.3)
            return card(id_)

        memory._store.card = reset_first  # type: ignore[method-assign, assignment]
        assert len(memory.feedback(context.id, used=[context.cards[0].id], outcome=True).used) == 1
        resetting.join(20)
        assert memory.list(user="u") == []
        with pytest.raises(NotFound, match="no context"):
            memory.feedback(context.id, outcome=True)
        assert memory.verify().ok


def test_a_row_whose_owner_is_gone(tmp_path: Path) -> None:
    """A write whose premise is gone says so and is rolled back; no words of the database reach the caller."""
    store = SQLiteStore(str(tmp_path / "m.db"), Settings())
    with pytest.raises(StoreError, match=r"reset meanwhile\?\); call again"), store.write():
        store.add_recalls([], [Use("gone", None, None, "outcome", 1.0, "told")], 0)
    store.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files where the system shows them")
def test_threads_that_ended_hold_no_files(tmp_path: Path) -> None:
    """A hundred threads that each read and write once leave no more open files than a few."""
    with Memory.open(tmp_path / "m.db", embedder="none", background=False, count=len) as memory:
        memory.add("the red kettle", user="u")

        def use() -> None:
            memory.list(user="u")
            memory.add("the red kettle", user="u")

        assert together(use) == []
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(10):
            assert together(*[use] * 10) == []
        # The pool keeps a few connections for the next call, of two files each (and the one that all share).
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 12


def _card(id_: str) -> Card:
    return Card(id_, "tea", 1, ANA, "message", "user", None, "tea", AT, AT, AT, None, {}, "rule", 9, 4)


@pytest.mark.parametrize("name", [":memory:", "m.db"])
def test_several_reads_see_one_state(tmp_path: Path, name: str) -> None:
    """A write of another thread never falls between the reads of one `read()`, in memory neither."""
    store = SQLiteStore(name if name == ":memory:" else str(tmp_path / name), Settings())
    started, stored = threading.Event(), threading.Event()

    def write() -> None:
        started.wait(20)
        with store.write():
            row = store.add_version(_card("c1"), "add", "added", b"d").row
            store.put_terms(row, b"\1\0\0\0")
        stored.set()

    writer = threading.Thread(target=write)
    writer.start()
    with store.read():
        marker = store.marker()
        started.set()
        stored.wait(0.3)
        assert list(store.index_rows(ANA, 0)) == []
        assert store.marker() == marker
    writer.join(20)
    assert [row.row for row in store.index_rows(ANA, 0)] == [1]
    snapshot = load(store, ANA, Space(), None)
    assert (len(snapshot), snapshot.marker[0]) == (1, 1)
    store.close()


def test_vectors_are_read_in_one_piece(tmp_path: Path) -> None:
    """The vectors of a scope can be read while other threads write, in memory too."""
    store = SQLiteStore(":memory:", Settings())
    with store.write():
        info = store.add_embedder("e5", "v1", 4)
        for i in range(1200):
            row = store.add_version(_card(f"c{i}"), "add", "added", b"%d" % i).row
            store.put_terms(row, b"\1\0\0\0")
        store.put_vectors(info.id, list(range(1, 1201)), np.ones((1200, 4), np.float32))
    rows = store.vector_rows(ANA, info.id, 0)
    first = next(rows)

    def write() -> None:
        with store.write():
            store.add_version(_card("later"), "add", "added", b"later")

    assert together(write) == []
    assert [first[1], *(row for _, row, _ in rows)] == list(range(1, 1201))
    store.close()


def _worker(memory: Memory, number: int, kept: dict[str, str], gone: list[str]) -> None:
    chance = random.Random(number)
    for i in range(25):
        text = f"worker {number} entry {i} about shelf {chance.randrange(10_000)}"
        receipt = memory.add(text, user="u", session=f"s{number}")
        kept[str(receipt.pointer)] = text
        roll = chance.random()
        if roll < 0.3:
            pointer = chance.choice(list(kept))
            memory.delete(pointer, user="u")
            del kept[pointer]
            gone.append(pointer)
        elif roll < 0.5:
            pointer = chance.choice(list(kept))
            kept[pointer] += " changed"
            memory.update(pointer, kept[pointer], user="u")
        elif roll < 0.7:
            hits = memory.search(f"worker {number}", user="u", k=500)
            found = {hit.card.pointer: hit.text for hit in hits}
            assert len(found) == len(hits), "a card stands twice in one list"
            assert {p: found[p] for p in kept} == kept
            assert not set(gone) & set(found)
        else:
            memory.recall(f"what did worker {number} say of shelf {i}?", user="u")
            memory.stats(user="u")


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_stress(tmp_path: Path, name: str) -> None:
    """Six threads add, change, delete, search and recall: each sees its own work at once, and the end is exactly what they did."""
    path: str | Path = name if name == ":memory:" else tmp_path / name
    memory = Memory.open(path, embedder="none", background=False, count=len)
    kept: list[dict[str, str]] = [{} for _ in range(6)]
    gone: list[list[str]] = [[] for _ in range(6)]
    works = [
        lambda number=number: _worker(memory, number, kept[number], gone[number])  # type: ignore[misc]
        for number in range(6)
    ]
    assert together(*works) == []
    wanted = {pointer: text for each in kept for pointer, text in each.items()}
    assert {card.pointer: card.text for card in memory.list(user="u", limit=1000)} == wanted
    assert len(memory.messages(user="u")) == 6 * 25
    hits = memory.search("worker entry shelf", user="u", k=1000)
    assert sorted(hit.text for hit in hits) == sorted(wanted.values())
    for pointer in (pointer for each in gone for pointer in each):
        with pytest.raises(NotFound):
            memory.get(pointer, user="u")
    assert memory.verify().problems == ()
    memory.close()


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_stress_and_close(tmp_path: Path, name: str) -> None:
    """Closed in the middle of adds and searches: what was acknowledged is in the file, what was not raised StoreError."""
    path: str | Path = name if name == ":memory:" else tmp_path / name
    for round_ in range(5):
        memory = Memory.open(path, embedder="none", background=False, count=len)
        ready = threading.Barrier(5)
        stored: list[str] = []

        def work(
            number: int,
            memory: Memory = memory,
            ready: threading.Barrier = ready,
            stored: list[str] = stored,
            round_: int = round_,
        ) -> None:
            ready.wait()
            for i in range(10_000):
                text = f"round {round_} worker {number} entry {i}"
                try:
                    memory.add(text, user="u")
                    stored.append(text)
                    memory.search(f"worker {number}", user="u", k=3)
                except StoreError as error:
                    assert "is closed" in str(error)
                    return
            raise AssertionError("never closed")

        def close(memory: Memory = memory, ready: threading.Barrier = ready, stored: list[str] = stored) -> None:
            ready.wait()
            while len(stored) < 12:
                pass
            memory.close()

        assert together(*(lambda n=n: work(n) for n in range(4)), close) == []  # type: ignore[misc]
        if name == ":memory:":
            return
        with Memory.open(path, embedder="none", background=False, count=len) as again:
            said = {event.text for event in again.messages(user="u")}
            assert set(stored) <= said
            assert again.verify().problems == ()
