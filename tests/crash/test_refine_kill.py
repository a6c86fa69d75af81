"""SIGKILL in the middle of upkeep: nothing that was said is lost, every pointer resolves, and the next run finishes the job."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from zeromem import Memory, Settings

# Kills itself at a moment of `maintain`, named by the function that is about to be called, and how often it was before.
_MAINTAINING = """
import os, signal, sys
from zeromem import Memory, Settings
path, place, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
memory = Memory.open(path, embedder="none", background=False, count=len, settings=Settings(raw_turns=0))
store = memory._store
whole, calls = getattr(store, place), [0]

def call(*args, **kwargs):
    calls[0] += 1
    if calls[0] > times:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*args, **kwargs)

setattr(store, place, call)
memory.maintain(user="u", storage=0.5, at="2027-01-01")
print("done", flush=True)
"""
SENTENCE = "Well, to be honest with you, the key of shelf {n} hangs behind the green door of room {m}, by the way."
SESSIONS = 3


def _fill(path: Path) -> list[str]:
    texts = [SENTENCE.format(n=n, m=n * 7) for n in range(240)]
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        for s in range(SESSIONS):
            some = [{"role": "user", "content": text} for text in texts[s::SESSIONS]]
            memory.add(some, user="u", session=f"s{s}", at="2026-05-01")
    return texts


@pytest.mark.parametrize(
    ("place", "times"),
    [("refine", 0), ("refine", 1), ("add_version", 0), ("put_terms", 1), ("link", 3), ("add_marks", 0), ("write", 2), ("_flush", 9)],
)  # fmt: skip
def test_killed_while_maintaining(tmp_path: Path, place: str, times: int) -> None:
    """Whatever was written is whole; the events, facts and pointers are those of before; a second run ends within the room."""
    path = tmp_path / "m.db"
    texts = _fill(path)
    command = [sys.executable, "-c", _MAINTAINING, str(path), place, str(times)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Memory.open(path, embedder="none", background=False, count=len, settings=Settings(raw_turns=0)) as memory:
        assert memory.verify().ok
        said = [card for card in memory.list(user="u", limit=1000) if card.kind != "summary"]
        assert sorted(card.source for card in said) == sorted(texts)
        assert all(memory.expand(card.pointer, user="u").text == card.source for card in said)
        (done,) = memory.maintain(user="u", storage=0.5, at="2027-01-01").refined
        assert done.after <= done.budget
        assert memory.verify().ok
        (again,) = memory.maintain(user="u", storage=0.5, at="2027-01-01").refined
        assert again.made == {}
