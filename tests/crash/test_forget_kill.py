"""SIGKILL while something is forgotten or restored: it is not yet done, or it is done whole, bytes too, after the next open."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from zeromem import Memory

# Kills itself at a moment of `forget`, named by the function that is about to be called, and how often it was before.
_FORGETTING = """
import os, signal, sys
from zeromem import Memory
from zeromem.maintain import erasing
from zeromem.store import connection, sqlite_history
path, place, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
memory = Memory.open(path, embedder="none", background=False, count=len)
store = memory._store

def deadly(owner, name):
    whole, calls = getattr(owner, name), [0]
    def call(*args, **kwargs):
        calls[0] += 1
        if calls[0] > times:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*args, **kwargs)
    setattr(owner, name, call)

owners = {"scrub": sqlite_history, "_erase": store, "mark_forgotten": store, "images": store, "write": store, "erasing": store}
deadly(owners[place], place)
memory.forget("the marzipan", user="u")
print("done", flush=True)
"""


def _fill(path: Path) -> None:
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        id_ = str(memory.add("The vault opens with marzipan qx77310.", user="u", session="s", source_id="d").id)
        memory.update(id_, "The vault opens with marzipan qx4471.")
        memory.add([f"entry {n} about shelf {n * 7}" for n in range(40)], user="u")


def _bytes(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))


@pytest.mark.parametrize(
    ("place", "times"),
    [("write", 0), ("_erase", 0), ("_erase", 3), ("_erase", 8), ("mark_forgotten", 0), ("erasing", 0), ("scrub", 0),
     ("write", 1), ("images", 0)],
)  # fmt: skip
def test_killed_while_forgetting(tmp_path: Path, place: str, times: int) -> None:
    """Before the commit everything is there, after it nothing; the next open takes the bytes out, and all that is kept is whole."""
    path = tmp_path / "m.db"
    _fill(path)
    command = [sys.executable, "-c", _FORGETTING, str(path), place, str(times)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, b"", b"")
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        assert memory.verify().problems == ()
        said = [card.text for card in memory.list(user="u", limit=100)]
        assert len([text for text in said if text.startswith("entry")]) == 40
        committed = place in ("erasing", "scrub", "images") or (place, times) == ("write", 1)
        assert len(said) == (40 if committed else 41)
        if not committed:
            assert [change.event for change in memory.history(memory.search("marzipan", user="u")[0].id)] == [
                "ADD",
                "UPDATE",
            ]
            assert memory.forget("the marzipan", user="u").done
        assert memory.search("marzipan", user="u") == [] and memory.verify().problems == ()
        memory.add("after it the lamp still works", user="u")
    assert b"marzipan" not in _bytes(path) and b"qx77310" not in _bytes(path) and b"qx4471" not in _bytes(path)


_RESTORING = """
import os, signal, sys
from zeromem import Memory
path, moment, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
memory = Memory.open(path, embedder="none", background=False, count=len)
whole, calls = memory._store.add_version, [0]
def call(*args, **kwargs):
    calls[0] += 1
    if calls[0] > times:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*args, **kwargs)
memory._store.add_version = call
memory.restore(at=moment, user="u")
"""


@pytest.mark.parametrize("times", [0, 7])
def test_killed_while_restoring(tmp_path: Path, times: int) -> None:
    """A restore is one transaction: nothing of it is there."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        memory.add([f"entry {n} about shelf {n * 7}" for n in range(10)], user="u")
        moment = memory.list(user="u")[0].updated_at
        memory.delete_all(user="u")
        memory.add([f"later {n} about shelf {n * 7}" for n in range(10)], user="u")
        before = [card.text for card in memory.list(user="u")]
    done = subprocess.run([sys.executable, "-c", _RESTORING, str(path), moment, str(times)], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        assert [card.text for card in memory.list(user="u")] == before
        assert memory.verify().problems == ()
        memory.restore(at=moment, user="u")
        assert [card.text for card in memory.list(user="u")] == [f"entry {n} about shelf {n * 7}" for n in range(10)]


# Does whatever a seed says, and tells on stdout what it is about to forget and what it forgot, until it is killed.
_ANYTHING = """
import contextlib, random, sys
from pathlib import Path
from zeromem import Memory, NotFound
path, seed = sys.argv[1], int(sys.argv[2])
chance, exports = random.Random(seed), []
old = Path(path + ".export")
memory = Memory.open(path, embedder="none", background=False, count=len)
made = 0
while True:
    cards = memory.list(user="u", limit=1000)
    card = chance.choice(cards) if cards else None
    kind = chance.choice(["add", "add", "update", "delete", "restore", "undo", "at", "repair", "export", "import", "forget", "forget"])
    with contextlib.suppress(NotFound, ValueError):
        if kind == "add" or card is None:
            made += 1
            memory.add(f"note zq{seed}x{made}z about the shelf", user="u", session=f"s{made % 3}")
        elif kind == "update":
            made += 1
            memory.update(card.id, f"note zq{seed}x{made}z about the attic", user="u")
        elif kind == "delete":
            memory.delete(card.id, user="u")
        elif kind == "restore":
            ids = [held.id for held, *_ in memory._store.all_versions(None)]
            memory.restore(chance.choice(ids), user="u")
        elif kind == "undo":
            memory.undo(user="u")
        elif kind == "at":
            memory.restore(at=card.created_at, user="u")
        elif kind == "repair":
            memory.verify(repair=True)
        elif kind == "export" and not old.exists():
            memory.export_file(old)
        elif kind == "import" and old.exists():
            from zeromem.transfer.records import read_export
            memory.import_(read_export(old))
        elif kind == "forget":
            told = memory.forget(card.id, dry_run=True)
            texts = [w for text in told.texts for w in text.split() if w.startswith("zq")]
            texts += [w for change in memory.history(card.id) for w in (change.new or "").split() if w.startswith("zq")]
            memory.forget(card.id)
            print(*texts, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_killed_whenever(tmp_path: Path, seed: int) -> None:
    """Adds, updates, deletes, restores, undos, repairs, exports, imports of what was exported and forgets, killed again and again: what
    was said to be forgotten is in no byte and no answer, and all else is whole."""
    path, gone = tmp_path / "m.db", set[str]()
    for turn in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", _ANYTHING, str(path), str(seed * 10 + turn)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(3 + seed):
            line = child.stdout.readline()
            assert line  # it only ends when it is killed
            gone |= set(line.split())
        child.kill()
        gone |= {word for line in child.stdout.read().splitlines() for word in line.split()}
        child.wait()
        child.stdout.close()
        with Memory.open(path, embedder="none", background=False, count=len) as memory:
            assert memory.verify().problems == ()
            told = str(list(memory.export()))
            hits = [card.text for card in memory.list(user="u", limit=1000)]
            assert {word for word in gone if word in told or any(word in text for text in hits)} == set()
            assert [
                hit.text for word in sorted(gone) for hit in memory.search(word, user="u") if word in hit.text
            ] == []
        held = _bytes(path) if not path.with_name("m.db.export").exists() else path.read_bytes()
        assert {word for word in gone if word.encode() in held} == set()
    assert gone
