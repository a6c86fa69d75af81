"""Cases of the kind "storage / concurrency / embedder": many processes, damaged files, and embedders that change or fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from zeromem import EmbedderMismatch, Memory
from zeromem.models.scripted import ScriptedEmbedder

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


_WRITER = """
import sys
from zeromem import Memory
with Memory.open(sys.argv[1], embedder="none", background=False, count=len) as memory:
    for i in range(25):
        memory.add(f"writer {sys.argv[2]} says word {i}", user="u")
"""

_SEARCHER = """
import sys
from pathlib import Path
from zeromem import Memory
with Memory.open(sys.argv[1], embedder="none", background=False) as memory:
    while not Path(sys.argv[2]).exists():
        assert isinstance(memory.search("writer word", user="u"), list)
"""


def test_c116_many_writers(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    """Four processes add 25 texts each while a fifth searches; all are there and no process fails."""

    def start(script: str, argument: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", script, str(tmp_path / "memory.db"), argument]
        return subprocess.Popen(command, stderr=subprocess.PIPE)

    searcher = start(_SEARCHER, str(tmp_path / "done"))
    writers = [start(_WRITER, str(number)) for number in range(4)]
    told = [process.communicate(timeout=120)[1].decode() for process in writers]
    (tmp_path / "done").touch()
    told.append(searcher.communicate(timeout=60)[1].decode())
    assert told == [""] * 5
    assert [process.returncode for process in (*writers, searcher)] == [0] * 5
    memory = open_memory(embedder="none", count=len)  # as the writers count
    assert len(memory.list(user="u", limit=1000)) == 100
    assert memory.verify().ok


_THREE_ADDS = """
import os, sys
from zeromem import Memory
memory = Memory.open(sys.argv[1], embedder="none", background=False)
for text in ("first red pump", "second blue valve", "third green hose"):
    memory.add(text, user="u")
os._exit(0)  # no close, so that the write-ahead log stays
"""


@pytest.mark.parametrize("cut", [10, 1000, 4000])
def test_c117_torn_write_ahead_log(tmp_path: Path, open_memory: Callable[..., Memory], cut: int) -> None:
    """A log that lost its end opens with a warning that names the record; what was before is there; writing goes on."""
    path = tmp_path / "memory.db"
    subprocess.run([sys.executable, "-c", _THREE_ADDS, str(path)], check=True)
    log = tmp_path / "memory.db-wal"
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - cut)
    memory = open_memory(embedder="none")
    assert len(memory.warnings) == 1
    assert "record" in memory.warnings[0] and "memory.db-wal" in memory.warnings[0]
    assert len(memory.list(user="u")) >= 2
    memory.add("fourth yellow nozzle", user="u")
    assert memory.search("nozzle", user="u")[0].text == "fourth yellow nozzle"
    assert memory.verify().ok


def test_c119_dimension_is_detected(open_memory: Callable[..., Memory]) -> None:
    """An embedder of any size works without a setting."""
    mem = open_memory(embedder=ScriptedEmbedder(768))
    mem.add("oak", user="u")
    hits = mem.search("oak", user="u", arms="dense")
    assert ([hit.text for hit in hits], mem.warnings) == (["oak"], ())


def test_c120_another_embedder(open_memory: Callable[..., Memory]) -> None:
    """Another embedder leaves the keyword arm and names both; embedding is refused until `reindex`, then vectors hit."""
    first = open_memory(embedder=ScriptedEmbedder(384, name="small"))
    first.add("oak", user="u")
    first.embed_pending()
    first.close()
    second = open_memory(embedder=ScriptedEmbedder(1024, name="large"))
    hits = second.search("oak", user="u")
    assert [hit.text for hit in hits] == ["oak"]
    (warning,) = hits.degraded
    assert all(word in warning for word in ("small", "384", "large", "1024", "reindex"))
    assert second.warnings == hits.degraded
    with pytest.raises(EmbedderMismatch, match="reindex"):
        second.embed_pending()
    assert second.reindex(dry_run=True) == 1
    assert second.reindex() == 1
    assert [hit.text for hit in second.search("oak", user="u", arms="dense")] == ["oak"]
    assert second.search("oak", user="u").degraded == ()


def test_c120_another_process_keeps_its_embedder(open_memory: Callable[..., Memory]) -> None:
    """While one memory re-indexes with another embedder, one that is open notices and degrades instead of mixing vectors."""
    old = open_memory(embedder=ScriptedEmbedder(384, name="small"))
    old.add("oak by the gate", user="u")
    assert [hit.text for hit in old.search("oak", user="u", arms="dense")] == ["oak by the gate"]
    open_memory(embedder=ScriptedEmbedder(1024, name="large")).reindex()
    old.add("elm by the pond", user="u")
    hits = old.search("elm", user="u")
    assert [hit.text for hit in hits][:1] == ["elm by the pond"]
    assert "large" in hits.degraded[0]


def test_c121_vectors_missing(open_memory: Callable[..., Memory]) -> None:
    """An embedder that drops a vector pairs no text with another's; all are found by keyword, with a warning."""
    broken = ScriptedEmbedder(drop_last=True)
    mem = open_memory(embedder=broken)
    receipt = mem.add(["a fact about apples", "b fact about bears", "c fact about cars"], user="u")
    assert len(receipt.warnings) == 1 and "vectors" in receipt.warnings[0]
    for word in ("apples", "bears", "cars"):
        assert [word in hit.text for hit in mem.search(word, user="u")] == [True]
    assert mem.stats().pending == 3
    broken.drop_last = False
    assert mem.embed_pending() == 3
    for word in ("apples", "bears", "cars"):
        assert [word in hit.text for hit in mem.search(word, user="u", arms="dense")] == [True]


class _Nonsense(ScriptedEmbedder):
    """Returns vectors of the wrong size, or that are no numbers."""

    answer: object = None

    def passages(self, texts):  # type: ignore[no-untyped-def]
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [np.full((3, 256), np.nan, np.float32), np.zeros((3, 7), np.float32), [], None, "vectors", [[1.0], [2.0, 3.0]]],
)
def test_c121_other_nonsense(open_memory: Callable[..., Memory], answer: object) -> None:
    """Whatever a broken embedder returns, the add holds and says so."""
    broken = _Nonsense()
    broken.answer = answer
    mem = open_memory(embedder=broken)
    receipt = mem.add(["a fact about apples", "b fact about bears", "c fact about cars"], user="u")
    assert receipt.count("stored") == 3
    assert mem.search("bears", user="u")[0].text == "b fact about bears"
    assert mem.search("bears", user="u").degraded
    assert mem.stats().pending == 3


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "POSIX", "LANG": "C", "PYTHONCOERCECLOCALE": "0"}]
)
def test_c123_locale_and_code_page(cli: Run, env: dict[str, str]) -> None:
    """Arguments and output are UTF-8 in a C locale."""
    added = cli("add", "门口的钥匙在花盆下", env=env)
    found = cli("search", "钥匙", env=env)
    assert (added.returncode, found.returncode) == (0, 0)
    assert "花盆" in found.stdout.decode("utf-8")


def test_c116_a_copy_of_an_open_file(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    """A copy of file and log taken between adds opens as it stood."""
    memory = open_memory(embedder="none")
    memory.add("before the copy", user="u")
    for end in ("", "-wal"):
        if (tmp_path / f"memory.db{end}").exists():
            shutil.copy(tmp_path / f"memory.db{end}", tmp_path / f"copy.db{end}")
    memory.add("after the copy", user="u")
    assert [card.text for card in open_memory("copy.db", embedder="none").list(user="u")] == ["before the copy"]
