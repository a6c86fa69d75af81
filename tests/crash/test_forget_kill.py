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
