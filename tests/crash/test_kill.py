"""SIGKILL at random moments: what was acknowledged is there, nothing is half-written, and the next call works."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zeromem import Memory
from zeromem.models.scripted import ScriptedEmbedder

_START = """
import sys
from zeromem import Memory
from zeromem.models.scripted import ScriptedEmbedder
path, number = sys.argv[1], sys.argv[2]
"""  # tokens are counted by `len`: loading a vocabulary would take longer than a round

# Prints the number of each add after it returned. Texts, lists, tool calls, duplicates, updates and deletes take turns.
_ADDING = (
    _START
    + """
memory = Memory.open(path, embedder="none", background=False, count=len)
i = 0
while True:
    if i % 5 == 4:
        call = {"id": f"c{i}", "type": "function", "function": {"name": "look", "arguments": '{"shelf": %d}' % i}}
        memory.add([{"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"c{i}", "content": f"round {number} entry {i} found"}], user="u", session="s")
    elif i % 5 == 3:
        memory.add([f"round {number} entry {i} part {part} about a shelf" for part in range(20)], user="u", session="s")
    else:
        receipt = memory.add(f"round {number} entry {i} about shelf {i * 7}", user="u", session="s")
        if i % 5 == 1:
            memory.update(receipt.id, f"round {number} entry {i} changed")
        if i % 5 == 2:
            memory.delete(receipt.id)
    print(i, flush=True)
    i += 1
"""
)

_EMBEDDING = (
    _START
    + """
import time
class Slow(ScriptedEmbedder):
    def passages(self, texts):
        time.sleep(0.002 * len(texts))
        return super().passages(texts)
memory = Memory.open(path, embedder=Slow(), background=False)
print("ready", flush=True)
while True:
    done = memory.embed_pending(3)
    print(done, flush=True)
    if not done:
        time.sleep(60)
"""
)


def killed(script: str, path: Path, number: int, after: float) -> list[str]:
    """Run the script, kill it `after` seconds from its first line, return the whole lines that it printed."""
    process = subprocess.Popen([sys.executable, "-c", script, str(path), str(number)], stdout=subprocess.PIPE)
    assert process.stdout
    first = process.stdout.readline().decode()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().decode()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    return [line for line in (first + rest).split("\n")[:-1] if line]


def test_kill_during_adds(tmp_path: Path) -> None:
    """Rounds of adds, each ended by SIGKILL: every acknowledged entry is there, no card is half-indexed, the next add works."""
    path = tmp_path / "m.db"
    chance = random.Random(7)
    for number in range(8):
        acknowledged = [int(line) for line in killed(_ADDING, path, number, chance.uniform(0.0, 0.25))]
        assert acknowledged == list(range(len(acknowledged)))
        with Memory.open(path, embedder="none", background=False, count=len) as memory:
            said = "\n".join(event.text for event in memory.messages(user="u"))
            for i in acknowledged:
                wanted = {4: "found", 3: "part 19 about a shelf"}.get(i % 5, "about shelf")
                assert f"round {number} entry {i} {wanted}" in said, (number, i)
            result = memory.verify()
            assert result.problems == ()
            # Killed between the two halves of a log record: that write was not acknowledged, and the warning says so.
            assert all("everything before it is intact" in warning for warning in memory.warnings)
            # A list is one call: all twenty parts or none, also of the call that was cut off.
            for i in range(len(acknowledged) + 1):
                parts = sum(f"round {number} entry {i} part" in line for line in said.splitlines())
                assert parts in (0, 20)
            memory.add(f"after round {number} the lamp still works", user="u")
            assert memory.search(f"lamp after round {number}", user="u")


def test_kill_during_embedding(tmp_path: Path) -> None:
    """Killed in the middle of `embed_pending`: vectors that were written are whole, the rest is pending, and work goes on."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add([f"entry {i} about shelf {i * 7} and box {i * 13}" for i in range(120)], user="u")
    chance = random.Random(11)
    for number in range(3):
        lines = killed(_EMBEDDING, path, number, chance.uniform(0.0, 0.1))
        acknowledged = sum(map(int, lines[1:]))
        with Memory.open(path, embedder=ScriptedEmbedder(), background=False) as memory:
            result = memory.verify()
            assert result.problems == ()
            before = memory.stats().pending
            assert before <= 120 - acknowledged
    with Memory.open(path, embedder=ScriptedEmbedder(), background=False) as memory:
        assert memory.embed_pending() == before
        assert memory.stats().pending == 0
        assert (
            memory.search("box 1300", user="u", arms="dense", k=1)[0].text == "entry 100 about shelf 700 and box 1300"
        )


_WRITER = (
    _START
    + """
memory = Memory.open(path, embedder=ScriptedEmbedder(), background=(number == "0"), count=len)
for i in range(30):
    receipt = memory.add(f"writer {number} entry {i} about shelf {i * 7}", user="u", session=f"s{number}")
    if i % 3 == 0:
        memory.update(receipt.id, f"writer {number} entry {i} changed")
    if i % 10 == 9:
        memory.delete(receipt.id)
memory.close()
"""
)

_READER = (
    _START
    + """
memory = Memory.open(path, embedder=ScriptedEmbedder(), background=False)
rounds = last = 0
while last < 108:
    hits = memory.search("writer entry shelf", user="u", k=200)
    assert all(hit.text for hit in hits)
    memory.recall("which writer wrote about shelf 70?", user="u")
    seen = len(memory.messages(user="u"))
    assert seen >= last
    last, rounds = seen, rounds + 1
    if rounds > 3000:
        break
print(rounds)
"""
)


def test_writers_and_a_reader(tmp_path: Path) -> None:
    """Four processes write, change and delete while one reads: none fails, nothing is lost, no deadlock."""
    path = tmp_path / "m.db"
    Memory.open(path, embedder="none", background=False).close()

    def start(script: str, number: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", script, str(path), str(number)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    reader = start(_READER, 9)
    writers = [start(_WRITER, number) for number in range(4)]
    for process in (*writers, reader):
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors.decode()) == (0, "")
    with Memory.open(path, embedder=ScriptedEmbedder(), background=False, count=len) as memory:
        assert len(memory.messages(user="u")) == 120
        assert len(memory.list(user="u", limit=500)) == 120 - 4 * 3
        memory.embed_pending()
        assert memory.verify().problems == ()


@pytest.mark.parametrize("number", [1, 2])
def test_kill_before_the_first_add(tmp_path: Path, number: int) -> None:
    """Killed while the file is being made: the next open makes it whole."""
    path = tmp_path / "m.db"
    script = (
        _START
        + "print('up', flush=True); memory = Memory.open(path, embedder='none', background=False); import time; time.sleep(60)"
    )
    killed(script, path, number, 0.002 * number)
    with Memory.open(path, embedder="none", background=False) as memory:
        assert memory.add("one kettle", user="u").count("stored") == 1
        assert memory.verify().ok
