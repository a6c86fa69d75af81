"""Embedding behind the writes: soon, resumable, and never in the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from zeromem import EmbedderFailed, EmbedderMismatch, Memory, Settings
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


class Gated(ScriptedEmbedder):
    """Stops in front of its first batch until `go_on`; `started` tells that it is there."""

    def __init__(self) -> None:
        super().__init__()
        self.started, self.go_on = threading.Event(), threading.Event()

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.started.set()
        assert self.go_on.wait(20)
        return super().passages(texts)


def test_a_recall_does_not_wait_for_a_long_run(tmp_path: Path) -> None:
    """While `embed_pending` is at a batch, recall and search answer, and their traces say what has no vector yet."""
    embedder = Gated()
    with Memory.open(tmp_path / "m.db", embedder=embedder, background=False) as memory:
        memory.add([f"note {i} about a kettle" for i in range(40)], user="u")
        run = threading.Thread(target=memory.embed_pending)
        run.start()
        assert embedder.started.wait(20)
        hits = memory.search("kettle note 39", user="u")
        context = memory.recall("what does note 39 say about a kettle?", user="u")
        assert run.is_alive()
        embedder.go_on.set()
        run.join(20)
        assert hits[0].text == "note 39 about a kettle" and context.cards
        for trace in (hits.trace, context.trace):
            told = next(record for record in trace if record.stage == "propose")
            assert (told.detail["pending"], told.why.split("; ")[1]) == (40, "40 cards have no vector yet")
        after = next(record for record in memory.search("kettle", user="u").trace if record.stage == "propose")
        assert "pending" not in after.detail


def test_a_recall_waits_for_a_small_batch(tmp_path: Path) -> None:
    """What the background is just embedding, a few cards, is found by meaning by a search that comes meanwhile."""
    embedder = Gated()
    with Memory.open(tmp_path / "m.db", embedder=embedder, background=False) as memory:
        memory.add([f"note {i} about a kettle" for i in range(3)], user="u")
        run = threading.Thread(target=memory.embed_pending)
        run.start()
        assert embedder.started.wait(20)
        later = threading.Timer(0.1, embedder.go_on.set)
        later.start()
        assert len(memory.search("kettle", user="u", arms=["dense"])) == 3
        run.join(20)
        later.join()


def test_two_runs_take_turns(tmp_path: Path) -> None:
    """A second run gets its turn between the batches of the first: each card is embedded once."""
    with Memory.open(
        tmp_path / "m.db", embedder=ScriptedEmbedder(), background=False, settings=Settings(embed_batch=4)
    ) as memory:
        memory.add([f"note {i} about a kettle" for i in range(120)], user="u")
        done: list[int] = []
        runs = [threading.Thread(target=lambda: done.append(memory.embed_pending())) for _ in range(3)]
        for run in runs:
            run.start()
        for run in runs:
            run.join(30)
        assert sum(done) == 120
        assert memory.stats().pending == 0


def test_reindex_by_another_memory_is_noticed(tmp_path: Path) -> None:
    """After another memory re-indexed or reset the file, vectors go under its embedder row, and both find everything."""
    path = tmp_path / "m.db"
    with (
        Memory.open(path, embedder=ScriptedEmbedder(), background=False) as one,
        Memory.open(path, embedder=ScriptedEmbedder(), background=False) as other,
    ):
        for change in (other.reindex, other.reset):
            one.add(f"the red kettle before {change.__name__}", user="u")
            assert one.embed_pending() == 1
            change()
            one.add(f"a green kettle after {change.__name__}", user="u")
            assert one.embed_pending() == 1
            wanted = sorted(card.text for card in other.list(user="u"))
            for memory in (one, other):
                hits = memory.search("kettle", user="u", arms=["dense"])
                assert sorted(hit.text for hit in hits) == wanted
            assert one.verify().problems == ()
        assert wanted == ["a green kettle after reset"]


def test_a_reset_in_the_middle_of_a_batch(tmp_path: Path) -> None:
    """Vectors of erased cards are never given to the cards that took their rows."""

    class Resetting(ScriptedEmbedder):
        def passages(self, texts: Sequence[str]) -> Vectors:
            if "kettle" in texts[0]:
                other.reset()
                other.add("an oak in the garden", user="u")
            return super().passages(texts)

    path = tmp_path / "m.db"
    with (
        Memory.open(path, embedder="none", background=False) as other,
        Memory.open(path, embedder=Resetting(), background=False) as memory,
    ):
        memory.add("the red kettle", user="u")
        memory.embed_pending()
        assert memory.stats().pending == 0
        assert memory.verify().problems == ()
        hits = memory.search("oak garden", user="u", arms=["dense"])
        assert [(hit.text, round(hit.arms["dense"], 2) > 0.5) for hit in hits] == [("an oak in the garden", True)]


def test_another_embedder_in_the_middle_of_a_batch(tmp_path: Path) -> None:
    """A run whose file is re-indexed by another embedder meanwhile ends with the error that names both."""

    class Overtaken(ScriptedEmbedder):
        def passages(self, texts: Sequence[str]) -> Vectors:
            other.reindex()
            return super().passages(texts)

    path = tmp_path / "m.db"
    with (
        Memory.open(path, embedder=ScriptedEmbedder(96, name="other"), background=False) as other,
        Memory.open(path, embedder=Overtaken(), background=False) as memory,
    ):
        memory.add("the red kettle", user="u")
        with pytest.raises(EmbedderMismatch, match="other"):
            memory.add("a blue kettle", user="u")
            memory.embed_pending()
            memory.embed_pending()
        assert memory.verify().problems == ()
        assert [hit.text for hit in other.search("red kettle", user="u", arms=["dense"], k=1)] == ["the red kettle"]


def test_a_run_that_fails_says_how_far_it_came(tmp_path: Path) -> None:
    """`embed_pending` and `reindex` raise with counts; what was done is kept, and the next run does the rest."""

    class Tiring(ScriptedEmbedder):
        left = 2

        def passages(self, texts: Sequence[str]) -> Vectors:
            if not self.left:
                raise TimeoutError("no answer")
            self.left -= 1
            return super().passages(texts)

    embedder = Tiring()
    with Memory.open(
        tmp_path / "m.db", embedder=embedder, background=False, settings=Settings(embed_batch=4)
    ) as memory:
        memory.add([f"note {i} about a kettle" for i in range(10)], user="u")
        for run in (memory.embed_pending, memory.reindex):
            embedder.left = 2
            with pytest.raises(EmbedderFailed, match="no answer; 8 cards were embedded, 2 wait for it"):
                run()
            assert memory.stats().pending == 2
        embedder.left = 1
        assert memory.embed_pending() == 2
        assert memory.verify().problems == ()
