"""Cases of the kind "update / delete / history / filters": one change reaches every index, and history tells it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import InvalidFilter, Memory
from zeromem.models.scripted import ScriptedEmbedder


def texts(found: Any) -> list[str]:
    return [item.text for item in found]


def test_c098_update_keeps_metadata(mem: Memory) -> None:
    """A new text leaves the metadata and the date of creation; the date of change moves on."""
    id_ = str(mem.add("tennis on weekends", user="ana", metadata={"category": "hobby", "n": 3}).id)
    before = mem.get(id_)
    mem.update(id_, text="tennis on Fridays")
    after = mem.get(id_)
    assert (after.text, after.metadata) == ("tennis on Fridays", {"category": "hobby", "n": 3})
    assert (after.created_at, after.pointer, after.at) == (before.created_at, before.pointer, before.at)
    assert after.updated_at > before.updated_at


def test_c098_metadata_alone(mem: Memory) -> None:
    """New metadata is merged key by key and leaves the text."""
    id_ = str(mem.add("tennis on weekends", user="ana", metadata={"category": "hobby", "n": 3}).id)
    mem.update(id_, metadata={"n": 4, "new": None})
    card = mem.get(id_)
    assert (card.text, card.metadata) == ("tennis on weekends", {"category": "hobby", "n": 4, "new": None})


def test_c099_update_refreshes_every_index(mem: Memory) -> None:
    """After an update nothing is found by the old text, in the default search."""
    id_ = str(mem.add("gate code 1111", user="u").id)
    assert texts(mem.search("1111", user="u")) == ["gate code 1111"]
    mem.update(id_, text="gate code 2222")
    assert [hit.id for hit in mem.search("2222", user="u")] == [id_]
    assert mem.search("1111", user="u") == []


@pytest.mark.parametrize("arm", ["keyword", "dense"])
def test_c099_update_in_each_arm_alone(open_memory: Callable[..., Memory], arm: str) -> None:
    """The same in the keyword arm and in the vector arm, each alone."""
    mem = open_memory(embedder=ScriptedEmbedder())
    id_ = str(mem.add("gate code 1111", user="u").id)
    mem.embed_pending()
    mem.update(id_, text="door word 2222")
    assert [hit.id for hit in mem.search("2222", user="u", arms=arm)] == [id_]
    assert mem.search("1111", user="u", arms=arm) == []


def _rows(path: Path, id_: str) -> dict[str, int]:
    with sqlite3.connect(path) as connection:
        found = {
            table: connection.execute(
                f"SELECT count(*) FROM {table} AS t JOIN cards AS c ON c.row = t.row WHERE c.id = ?", (id_,)
            ).fetchone()[0]
            for table in ("terms", "vectors")
        }
    connection.close()
    return found


def test_c101_delete_leaves_every_index(mem: Memory, tmp_path: Path) -> None:
    """A deleted card leaves list, search, recall, keyword and vector tables; re-indexing does not bring it back."""
    id_ = str(mem.add("Dr. Ng is my vet", user="u").id)
    mem.embed_pending()
    assert _rows(tmp_path / "memory.db", id_) == {"terms": 1, "vectors": 1}
    mem.delete(id_)
    mem.reindex()
    assert _rows(tmp_path / "memory.db", id_) == {"terms": 0, "vectors": 0}
    assert (mem.search("Ng vet", user="u"), mem.list(user="u")) == ([], [])
    assert "Ng" not in mem.recall("who is my vet?", user="u").text
    assert [change.event for change in mem.history(id_)] == ["ADD", "DELETE"]


def test_c101_upkeep_does_not_bring_it_back(mem: Any) -> None:
    """Nor does upkeep."""
    id_ = mem.add("Dr. Ng is my vet", user="u").id
    mem.delete(id_)
    mem.maintain(user="u")
    assert mem.list(user="u") == []


def test_c101_forget_leaves_no_text(mem: Memory) -> None:
    """A forgotten card's history holds no text, and no index or row anything of it; re-indexing does not bring it back."""
    id_ = str(mem.add("Dr. Ng is my vet", user="u").id)
    mem.embed_pending()
    assert mem.forget(id_).done
    mem.reindex()
    assert [(change.event, change.old, change.new) for change in mem.history(id_)] == [("FORGET", None, None)]
    assert (mem.search("Ng vet", user="u"), mem.list(user="u"), mem.messages(user="u")) == ([], [], [])


def test_c102_deleted_leaves_the_brief_zh(mem: Any) -> None:
    """删除之后，画像和摘要里也不再出现。"""
    id_ = mem.add("我的血型是AB型", user="u").id
    mem.maintain(user="u")
    mem.delete(id_)
    assert "AB型" not in mem.brief(user="u").text
    assert not [card for card in mem.list(user="u") if "AB型" in card.text]


def test_c103_delete_all_drains_every_page(plain: Memory) -> None:
    """250 cards go, the count says so, another user's card stays."""
    plain.add([f"note {n} about box {n * 7919}" for n in range(250)], user="u")
    plain.add("keep this one", user="v")
    assert plain.delete_all(user="u") == 250
    assert plain.list(user="u") == []
    assert texts(plain.list(user="v")) == ["keep this one"]
    assert plain.delete_all(user="u") == 0


def test_c103_delete_all_of_a_session_or_filter(plain: Memory) -> None:
    """A session or a filter narrows what goes."""
    plain.add("tea in the morning", user="u", session="a", metadata={"n": 1})
    plain.add("coffee at noon", user="u", session="a", metadata={"n": 2})
    plain.add("milk at night", user="u", session="b", metadata={"n": 2})
    assert plain.delete_all(user="u", session="a", filters={"n": 2}) == 1
    assert texts(plain.list(user="u")) == ["tea in the morning", "milk at night"]
    assert plain.delete_all(user="u", session="b") == 1


@pytest.mark.parametrize("order", ["time", "added"])
def test_c105_stable_pages(plain: Memory, clock: Any, order: Any) -> None:
    """45 cards of one instant, a write between pages: each is seen exactly once."""
    clock.step = 0
    ids = [plain.add(f"note {n} of the plan", user="u").id for n in range(45)]
    seen: list[str] = []
    cursor = None
    for page in range(20):
        found = plain.list(user="u", limit=7, cursor=cursor, order=order)
        seen += [card.id for card in found]
        plain.add(f"written meanwhile {page}", user="u", at="2020-01-01" if page == 2 else None)
        cursor = found.cursor
        if cursor is None or page == 6:
            break
    assert [id_ for id_ in seen if id_ in ids] == ids
    assert len(seen) == len(set(seen))


def test_c106_history_is_complete(mem: Memory) -> None:
    """ADD, UPDATE, DELETE, with times that do not go back and texts that chain."""
    id_ = str(mem.add("v1", user="u").id)
    mem.update(id_, text="v2")
    mem.delete(id_)
    history = mem.history(id_)
    assert [(change.event, change.old, change.new) for change in history] == [
        ("ADD", None, "v1"), ("UPDATE", "v1", "v2"), ("DELETE", "v2", None),
    ]  # fmt: skip
    assert [change.at for change in history] == sorted(change.at for change in history)
    assert [change.version for change in history] == [1, 2, 3]


def test_c107_two_operators_in_an_and(plain: Memory) -> None:
    """Both bounds hold, written as AND, as one mapping, or nested."""
    for n in (1, 5, 9):
        plain.add(f"n{n} value", user="u", metadata={"n": n})
    for filters in (
        {"AND": [{"n": {"gte": 2}}, {"n": {"lte": 8}}]},
        {"n": {"gte": 2, "lte": 8}},
        {"NOT": {"OR": [{"n": {"lt": 2}}, {"n": {"gt": 8}}]}},
    ):
        assert texts(plain.search("value", user="u", filters=filters)) == ["n5 value"]
        assert texts(plain.list(user="u", filters=filters)) == ["n5 value"]
        assert [card.text for card in plain.recall("which value?", user="u", filters=filters).cards] == ["n5 value"]


@pytest.mark.parametrize(
    "filters",
    [{"t": {"in": "news"}}, {"t": {"nin": 7}}, {"t": {"like": "x"}}, {"t": {}}, {"AND": {}}, {"OR": []}, {"NOT": []},
     {7: 1}, "t=news", [], {"created_at": {"gte": "soon"}}, {"t": {"exists": "yes"}}, {"user": None}],
)  # fmt: skip
def test_c109_filters_that_cannot_work(mem: Memory, filters: Any) -> None:
    """A filter of the wrong shape is an InvalidFilter on every verb that takes one, never an empty result."""
    mem.add("x", user="u", metadata={"t": ["news"]})
    for call in (
        lambda: mem.search("x", user="u", filters=filters),
        lambda: mem.recall("x ray?", user="u", filters=filters),
        lambda: mem.list(user="u", filters=filters),
        lambda: mem.delete_all(user="u", filters=filters),
    ):
        with pytest.raises(InvalidFilter):
            call()
    assert texts(mem.list(user="u")) == ["x"]


@pytest.mark.parametrize("arms", [("keyword", "dense"), "keyword", "dense"])
def test_c110_filtered_search_looks_far_enough(open_memory: Callable[..., Memory], arms: Any) -> None:
    """One card among 300 better ones is found when the filter leaves only it."""
    mem = open_memory(embedder=ScriptedEmbedder())
    mem.add([f"apple {n}" for n in range(300)], user="u", metadata={"k": "a"})
    mem.add("apple special", user="u", metadata={"k": "b"})
    mem.embed_pending()
    assert texts(mem.search("apple", user="u", k=1, filters={"k": "b"}, arms=arms)) == ["apple special"]


def test_c111_null_metadata(mem: Memory) -> None:
    """None, numbers and nested values keep their type through every verb."""
    metadata = {"ocr": None, "n": 1, "o": {"x": [1]}, "f": 1.5, "b": True}
    id_ = str(mem.add("scan of the passport", user="u", metadata=metadata).id)
    record = next(record for record in mem.export() if record["type"] == "card")
    shown = [
        mem.get(id_).metadata, mem.list(user="u")[0].metadata, mem.search("scan", user="u")[0].card.metadata,
        record["metadata"], mem.messages(user="u")[0].metadata,
    ]  # fmt: skip
    assert shown == [metadata] * 5
    assert type(mem.get(id_).metadata["n"]) is int
    assert texts(mem.search("scan", user="u", filters={"ocr": None})) == ["scan of the passport"]
    mem.reindex()


def test_c113_reset_clears_buffers(mem: Memory) -> None:
    """After a reset nothing of the old session is listed, found, shown or counted."""
    mem.add("before the flood", user="u", session="s")
    mem.recall("what about the flood?", user="u")
    mem.reset()
    mem.add("after the rain", user="u", session="s")
    assert texts(mem.list(user="u")) == ["after the rain"]
    assert texts(mem.messages(user="u", session="s")) == ["after the rain"]
    assert mem.search("flood", user="u", arms="keyword") == []
    assert "flood" not in mem.recall("what about the flood and the rain?", user="u").text
    assert (mem.stats().events, mem.stats().recalls) == (1, 1)


def test_c114_relation_direction(mem: Memory) -> None:
    """Who manages whom is kept."""
    mem.add_fact("Ana", "manages", "Ben", user="u")
    assert [(fact.subject, fact.object) for fact in mem.facts("Ben", user="u")] == [("Ana", "Ben")]
    assert "Ana" in mem.search("who manages Ben", user="u")[0].text


def test_c115_same_relation_other_endpoints(mem: Memory) -> None:
    """A second fact never replaces the first, and an id cannot be chosen."""
    fact = mem.add_fact("Ana", "owns", "kiln", user="u")
    with pytest.raises(TypeError, match="id"):
        mem.add_fact("Ben", "owns", "loom", user="u", id=fact.id)  # type: ignore[call-arg]
    mem.add_fact("Ben", "owns", "loom", user="u")
    assert [(f.subject, f.object) for f in mem.facts("Ana", user="u")] == [("Ana", "kiln")]
