"""Embedding behind the writes: soon, resumable, and never in the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from zeromem import EmbedderMismatch, Memory, Settings
from zeromem.models.scripted import ScriptedEmbedder
from zeromem.ports import Vectors


def wait_for(memory: Memory, pending: int, seconds: float = 20.0) -> int:
    end = time.monotonic() + seconds
    while memory.stats().pending != pending and time.monotonic() < end:
        time.sleep(0.01)
    return memory.stats().pending


def test_the_background_embeds_what_adds_leave(tmp_path: Path) -> None:
    """Adds return with cards pending; a little later none is."""
    with Memory.open(tmp_path / "m.db", embedder=ScriptedEmbedder()) as memory:
        memory.add([f"note {i}" for i in range(40)], user="u")
        assert wait_for(memory, 0) == 0


def test_without_a_background_a_recall_embeds_the_newest(tmp_path: Path) -> None:
    """A write is found by meaning at once: the first search embeds a few pending cards, newest first."""
    with Memory.open(
        tmp_path / "m.db", embedder=ScriptedEmbedder(), background=False, settings=Settings(embed_on_recall=3)
    ) as memory:
        memory.add([f"note number {i}" for i in range(10)], user="u")
        assert memory.stats().pending == 10
        hits = memory.search("note number 9", user="u", arms=["dense"])
        assert (hits[0].text, memory.stats().pending) == ("note number 9", 7)
        assert memory.embed_pending() == 7


def test_pending_survives_closing(tmp_path: Path) -> None:
    """What was not embedded when the file was closed is embedded after the next open, with progress."""
    with Memory.open(tmp_path / "m.db", embedder=ScriptedEmbedder(), background=False) as memory:
        memory.add(["a kiwi", "a plum"], user="u")
    seen: list[tuple[int, int]] = []
    with Memory.open(tmp_path / "m.db", embedder=ScriptedEmbedder(), background=False) as memory:
        assert memory.embed_pending(progress=lambda done, total: seen.append((done, total))) == 2
    assert seen == [(2, 2)]


def test_a_failing_embedder_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    """Receipt, hits and warnings say why the dense arm is out; once it works again the cards are embedded."""
    broken = ScriptedEmbedder(fails=TimeoutError("no answer"))
    with Memory.open(tmp_path / "m.db", embedder=broken, background=False) as memory:
        receipt = memory.add("a copper pot", user="u")
        hits = memory.search("copper pot", user="u")
        assert [hit.text for hit in hits] == ["a copper pot"]
        assert all("TimeoutError" in told[0] for told in (receipt.warnings, hits.degraded, memory.warnings))
        broken.fails = None
        assert memory.embed_pending() == 1
        assert memory.search("copper pot", user="u").degraded == ()


def test_another_embedder_is_a_typed_error_that_names_the_cure(tmp_path: Path) -> None:
    """The keyword arm goes on, embedding refuses, reindex mends."""
    with Memory.open(tmp_path / "m.db", embedder=ScriptedEmbedder(64), background=False) as memory:
        memory.add("an oak", user="u")
        memory.embed_pending()
    with Memory.open(tmp_path / "m.db", embedder=ScriptedEmbedder(96, name="other"), background=False) as memory:
        hits = memory.search("oak", user="u")
        assert [hit.text for hit in hits] == ["an oak"]
        assert "scripted" in hits.degraded[0] and "other" in hits.degraded[0] and "reindex" in hits.degraded[0]
        with pytest.raises(EmbedderMismatch, match="reindex"):
            memory.embed_pending()
        assert memory.reindex(dry_run=True) == 1
        assert memory.reindex() == 1
        assert memory.search("oak", user="u", arms=["dense"])[0].text == "an oak"


def test_a_question_does_not_wait_for_the_background(tmp_path: Path) -> None:
    """While a slow embedder is at a batch, keyword search answers."""
    started, go_on = threading.Event(), threading.Event()

    class Slow(ScriptedEmbedder):
        def passages(self, texts: Sequence[str]) -> Vectors:
            if "slow" in texts[0]:
                started.set()
                go_on.wait(20)
            return super().passages(texts)

    with Memory.open(tmp_path / "m.db", embedder=Slow()) as memory:
        memory.add("a slow kiwi", user="u")
        assert started.wait(20)
        assert [hit.text for hit in memory.search("kiwi", user="u", arms=["keyword"])] == ["a slow kiwi"]
        go_on.set()
