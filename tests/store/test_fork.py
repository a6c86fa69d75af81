"""Forks: child and parent both go on with the same memory, nothing is lost, nobody hangs on a lock of a thread that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zeromem import Memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

_START = """
import multiprocessing, os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
from zeromem import Memory, Settings, StoreError
from zeromem.models.scripted import ScriptedEmbedder
def opened(path=sys.argv[1], **options):
    return Memory.open(path, **{"embedder": "none", "background": False, "count": len, **options})
def fork(work, patience=60):
    pid = os.fork()
    if not pid:
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
            os._exit(1)
        os._exit(0)
    return pid
def end(pid, patience=60):
    for _ in range(patience * 100):
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print("hangs", flush=True)
"""


def run(script: str, path: str | Path) -> list[str]:
    """Run in a process of its own; the lines that it and its children printed."""
    done = subprocess.run(
        [sys.executable, "-c", _START + script, str(path)], capture_output=True, text=True, timeout=200, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def texts(path: Path, user: str = "u") -> list[str]:
    with Memory.open(path, embedder="none", background=False, count=len) as memory:
        assert memory.verify().problems == ()
        return [event.text for event in memory.messages(user=user)]


@pytest.mark.parametrize("parent_closes", [True, False])
@pytest.mark.parametrize("child_ends", ["pass", "memory.close()", "sys.exit()"])
def test_a_child_that_goes_on(tmp_path: Path, parent_closes: bool, child_ends: str) -> None:
    """The parent closes or not, the child closes, ends, or dies: another opener sees every add at once, and all stay."""
    path = tmp_path / "m.db"
    script = f"""
memory = opened()
memory.add("the first kettle", user="u")
done, go, finish = os.pipe(), os.pipe(), os.pipe()
pid = os.fork()
if not pid:
    os.read(go[0], 1)
    for i in range(5):
        memory.add(f"child kettle {{i}}", user="u")
    assert len(memory.messages(user="u")) == 6
    os.write(done[1], b"x")
    os.read(finish[0], 1)
    {child_ends}
    os._exit(0)
if {parent_closes}:
    memory.close()
os.write(go[1], b"x")
os.read(done[0], 1)
with opened() as other:
    print(len(other.messages(user="u")))
    other.add("another kettle", user="u")
os.write(finish[1], b"x")
end(pid)
with opened() as other:
    print(len(other.messages(user="u")))
if not {parent_closes}:
    print(len(memory.messages(user="u")))
"""
    assert run(script, path) == ["6", "7"] + ["7"] * (not parent_closes)
    assert len(texts(path)) == 7


def test_parent_and_children_add_together(tmp_path: Path) -> None:
    """Three children by `os.fork` and two by `multiprocessing`, parent and background thread beside them: every add is there."""
    path = tmp_path / "m.db"
    script = """
memory = opened(embedder=ScriptedEmbedder(), background=True)
memory.add("the first kettle", user="u")
def work(name):
    for i in range(15):
        memory.add(f"{name} kettle {i}", user="u")
        memory.recall("which kettle?", user="u")
pids = [fork(lambda: work(f"child {n}")) for n in range(3)]
context = multiprocessing.get_context("fork")
processes = [context.Process(target=work, args=(f"process {n}",)) for n in range(2)]
for process in processes: process.start()
work("parent")
for pid in pids: end(pid)
for process in processes:
    process.join(60)
    print(process.exitcode)
memory.close()
"""
    assert run(script, path) == ["0", "0"]
    names = ["parent", *(f"child {n}" for n in range(3)), *(f"process {n}" for n in range(2))]
    wanted = {f"{name} kettle {i}" for name in names for i in range(15)} | {"the first kettle"}
    found = texts(path)
    assert (set(found), len(found)) == (wanted, len(wanted))


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_fork_while_other_threads_work(tmp_path: Path, name: str) -> None:
    """Forked again and again while threads write, read and embed: no child hangs, and each can add, recall and close."""
    path = name if name == ":memory:" else tmp_path / name
    script = """
memory = opened(embedder=ScriptedEmbedder(), background=True)
stop, counts, wrong = threading.Event(), [0, 0], []
def write(n):
    try:
        while not stop.is_set():
            memory.add(f"thread {n} line {counts[n]}", user="u")
            counts[n] += 1
    except BaseException as error:
        wrong.append(error)
def read():
    try:
        while not stop.is_set():
            memory.search("line", user="u")
            memory.recall("which line of a thread?", user="u")
    except BaseException as error:
        wrong.append(error)
threads = [threading.Thread(target=write, args=(n,)) for n in range(2)] + [threading.Thread(target=read)]
for thread in threads: thread.start()
def work(k):
    memory.add(f"child {k}", user="b")
    assert f"child {k}" in [card.text for card in memory.list(user="b")]
    memory.recall("which child?", user="b")
    memory.close()
for k in range(15):
    time.sleep(0.02)
    end(fork(lambda: work(k)))
stop.set()
for thread in threads: thread.join(60)
print(wrong, len(memory.messages(user="u")) == sum(counts), memory.verify().problems)
memory.close()
"""
    assert run(script, path) == ["[] True ()"]
    if isinstance(path, Path):
        assert sorted(texts(path, "b")) == sorted(f"child {k}" for k in range(15))


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
@pytest.mark.parametrize("block", ["write", "read"])
def test_fork_in_the_middle_of_a_call(tmp_path: Path, name: str, block: str) -> None:
    """The child of a thread that is in a transaction is refused, inside and after; the parent's transaction ends whole."""
    path = name if name == ":memory:" else tmp_path / name
    script = f"""
memory = opened()
memory.add("the first kettle", user="u")
def refused(work):
    try:
        work()
        print("allowed", flush=True)
    except StoreError as error:
        assert "forked in the middle" in str(error), error
try:
    with memory._store.{block}():
        if {block == "write"}:
            memory.add("another kettle", user="u")
        pid = os.fork()
        if not pid:
            refused(lambda: memory.add("a child's kettle", user="u"))
            refused(lambda: memory.messages(user="u"))
except StoreError as error:
    assert not pid and "forked in the middle" in str(error), error
if not pid:
    refused(lambda: memory.search("kettle", user="u"))
    refused(opened)
    memory.close()
    sys.exit()
end(pid)
memory.add("a last kettle", user="u")
print(len(memory.messages(user="u")), memory.verify().problems)
"""
    assert run(script, path) == [f"{3 if block == 'write' else 2} ()"]


def test_a_fork_waits_only_so_long(tmp_path: Path) -> None:
    """A thread that stays inside a call does not hold a fork up for ever: the child is refused then, and does not hang."""
    path = tmp_path / "m.db"
    script = """
from zeromem import forks
forks._PATIENCE = 0.1
memory = opened()
inside, stop = threading.Event(), threading.Event()
def stay():
    with memory._store.write():
        memory.add("the red kettle", user="u")
        inside.set()
        stop.wait()
thread = threading.Thread(target=stay)
thread.start()
inside.wait()
def work():
    for call in (lambda: memory.messages(user="u"), lambda: memory.add("a kettle", user="u"), opened):
        try:
            call()
            print("allowed")
        except StoreError as error:
            assert "forked in the middle" in str(error), error
    memory.close()
end(fork(work))
stop.set()
thread.join(60)
memory.add("a blue kettle", user="u")
memory.close()
"""
    assert run(script, path) == []
    assert texts(path) == ["the red kettle", "a blue kettle"]


def test_notes_of_the_parent_are_written_once(tmp_path: Path) -> None:
    """What a recall before the fork noted is written by the parent alone."""
    script = """
memory = opened()
memory.add("the red kettle is on the shelf", user="u")
memory.recall("where is the red kettle?", user="u")
shown = memory._uses._shown[:]
end(fork(memory.close))
print(len(shown), len(memory._store.recall(shown[0].recall_id, None) or []))
memory.close()
with opened() as memory:
    print(len(memory._store.recall(shown[0].recall_id, None)))
"""
    assert run(script, tmp_path / "m.db") == ["1 0", "1"]


def test_the_background_thread_of_a_child(tmp_path: Path) -> None:
    """The child's own adds are embedded behind it, though the parent's thread is not there."""
    script = """
memory = opened(embedder=ScriptedEmbedder(), background=True)
memory.add("the first kettle", user="u")
def work():
    memory.add("a child's kettle", user="u")
    while memory.stats().pending:
        time.sleep(0.01)
    assert [thread.name for thread in threading.enumerate()][1:] == ["zeromem-embed"]
    memory.close()
end(fork(work))
memory.close()
"""
    assert run(script, tmp_path / "m.db") == []
