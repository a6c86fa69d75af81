"""restore, undo, correct: going back only adds, and can itself be taken back; history tells who, when and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Ambiguous, InvalidInput, Memory, NotFound
from zeromem.models.scripted import ScriptedEmbedder


def texts(found: Any) -> list[str]:
    return [item.text for item in found]


def state(memory: Memory, **ids: Any) -> list[tuple[Any, ...]]:
    """All that can be seen of a scope's cards."""
    return [
        (card.id, card.pointer, card.text, dict(card.metadata), card.session, card.at, card.source_id)
        for card in memory.list(**{"user": "u", **ids}, limit=1000)
    ]


# -- one card


def test_a_deleted_card_comes_back(open_memory: Callable[..., Memory]) -> None:
    """With its pointer, text and metadata, found by every arm; the history tells it in order."""
    memory = open_memory(embedder=ScriptedEmbedder())
    id_ = str(memory.add("The gate code is 4471.", user="u", metadata={"n": 1}).id)
    before = state(memory)
    memory.delete("gate", user="u")
    receipt = memory.restore("gate", user="u")
    assert [(item.status, item.pointer, item.text) for item in receipt.items] == [
        ("stored", "gate", "The gate code is 4471.")
    ]
    assert state(memory) == before
    memory.embed_pending()
    assert [sorted(hit.arms) for hit in memory.search("4471", user="u")] == [["dense", "keyword"]]
    history = memory.history("gate", user="u")
    assert [(c.event, c.what, c.who, c.old, c.new) for c in history] == [
        ("ADD", "created", "user", None, "The gate code is 4471."),
        ("DELETE", "deleted", "hand", "The gate code is 4471.", None),
        ("RESTORE", "restored", "hand", None, "The gate code is 4471."),
    ]
    assert [c.at for c in history] == sorted(c.at for c in history)
    assert [c.reason for c in history] == ["added", "deleted", "restored"]
    assert memory.get(id_).version == 3
    assert memory.verify().problems == ()


def test_a_card_as_it_was_at_a_moment(plain: Memory) -> None:
    """`restore(pointer, at=…)` takes back what was changed since, of this card alone."""
    id_ = str(plain.add("The gate code is 1111.", user="u").id)
    plain.update(id_, "The gate code is 2222.")
    plain.update(id_, "The gate code is 3333.")
    plain.add("The kettle is on shelf 4.", user="u")
    plain.restore("gate", at=plain.history(id_)[1].at, user="u")
    assert texts(plain.list(user="u")) == ["The gate code is 2222.", "The kettle is on shelf 4."]
    with pytest.raises(InvalidInput, match="was not there yet"):
        plain.restore("gate", at="2020-01-01", user="u")


def test_what_cannot_be_restored(plain: Memory) -> None:
    """A card that is there, a name that never was, nothing named, another owner's."""
    plain.add("The gate code is 1111.", user="u")
    with pytest.raises(InvalidInput, match="is not deleted"):
        plain.restore("gate", user="u")
    for given in ({"pointer": "attic", "user": "u"}, {"pointer": "gate", "user": "v"}):
        with pytest.raises(NotFound):
            plain.restore(**given)
    with pytest.raises(InvalidInput, match="needs a pointer"):
        plain.restore(user="u")
    with pytest.raises(InvalidInput):
        plain.restore(at="soon", user="u")
    with pytest.raises(InvalidInput):
        plain.restore(at="2026-01-01")


def test_words_said_again_meanwhile_are_not_doubled(plain: Memory) -> None:
    """Text added after a delete is stored; the old card then stays deleted, and the receipt names the new one."""
    first = plain.add("The gate code is 1111.", user="u")
    plain.delete(str(first.id))
    again = plain.add("The gate code is 1111.", user="u")
    assert again.items[0].status == "stored"
    receipt = plain.restore(str(first.id))
    assert (receipt.items[0].status, receipt.items[0].reason) == (
        "duplicate",
        f"said again since, as [m:{again.pointer}]",
    )
    assert [card.id for card in plain.list(user="u")] == [again.id]


# -- a scope at a moment


def test_a_scope_returns_to_a_moment_and_back(plain: Memory) -> None:
    """Later cards go, deleted ones come back, texts, metadata and sessions are as they were; the restore is taken back the same way."""
    a = str(plain.add("alpha one note", user="u", session="s1", metadata={"n": 1}).id)
    b = str(plain.add("beta two note", user="u").id)
    then = state(plain)
    moment = plain.history(b)[-1].at
    plain.update(a, "alpha one changed", metadata={"n": 2})
    plain.delete(b)
    plain.add("gamma three note", user="u")
    plain.add("delta note of another", user="v")
    now, before = state(plain), plain.list(user="u", order="added")[-1].updated_at

    receipt = plain.restore(at=moment, user="u")
    assert state(plain) == then
    assert sorted((item.status, item.text) for item in receipt.items) == [
        ("stored", "alpha one note"), ("stored", "beta two note"), ("superseded", "gamma three note"),
    ]  # fmt: skip
    assert texts(plain.search("gamma", user="u")) == []

    plain.restore(at=before, user="u")
    assert state(plain) == now
    assert texts(plain.list(user="v")) == ["delta note of another"]
    assert plain.verify().problems == ()
    assert plain.restore(at=before, user="u").items == ()


def test_sources_say_what_they_said(plain: Memory) -> None:
    """After a restore to before a replacement the source is the old one: adding that again adds nothing, and replacing works on."""
    plain.add(["alpha one note", "beta two note"], user="u", source_id="d")
    moment = plain.list(user="u")[-1].updated_at
    plain.add(["alpha one note", "gamma three note"], user="u", source_id="d", mode="replace")
    after = plain.list(user="u", order="added")[-1].updated_at
    assert texts(plain.list(user="u")) == ["alpha one note", "gamma three note"]

    plain.restore(at=moment, user="u")
    assert texts(plain.list(user="u")) == ["alpha one note", "beta two note"]
    again = plain.add(["alpha one note", "beta two note"], user="u", source_id="d")
    assert {item.status for item in again.items} == {"duplicate"}
    same = plain.add(["alpha one note", "beta two note"], user="u", source_id="d", mode="replace")
    assert {item.status for item in same.items} == {"duplicate"}

    plain.restore(at=after, user="u")
    assert texts(plain.list(user="u")) == ["alpha one note", "gamma three note"]
    same = plain.add(["alpha one note", "gamma three note"], user="u", source_id="d", mode="replace")
    assert {item.status for item in same.items} == {"duplicate"}
    assert plain.delete_source("d", user="u") == 2
    assert plain.list(user="u") == []
    assert plain.verify().problems == ()


def test_a_session_as_it_was(plain: Memory) -> None:
    """A card that two sessions say is listed in the session of then, and not in one that only came to say it later."""
    plain.add("alpha one note", user="u", session="s1")
    moment = plain.list(user="u")[0].updated_at
    plain.add("alpha one note", user="u", session="s2")
    plain.delete_all(user="u", session="s1")
    assert (state(plain, session="s1"), len(state(plain, session="s2"))) == ([], 1)
    plain.restore(at=moment, user="u")
    assert [card.session for card in plain.list(user="u", session="s1")] == ["s1"]
    assert state(plain, session="s2") == []
    assert len(plain.messages(user="u", session="s2")) == 1  # what was said was said
    plain.undo(user="u")
    assert (state(plain, session="s1"), len(state(plain, session="s2"))) == ([], 1)


def test_a_restore_of_one_session(plain: Memory) -> None:
    """Cards of other sessions stay as they are."""
    plain.add("alpha one note", user="u", session="s1")
    plain.add("beta two note", user="u", session="s2")
    moment = plain.list(user="u")[-1].updated_at
    plain.delete_all(user="u")
    plain.restore(at=moment, user="u", session="s1")
    assert texts(plain.list(user="u")) == ["alpha one note"]


def test_a_restored_memory_moves_whole(open_memory: Callable[..., Memory]) -> None:
    """Export and import keep the ends of retirements: the copy restores to the same states."""
    memory, copy = open_memory(embedder="none"), open_memory("copy.db", embedder="none")
    memory.add(["alpha one note", "beta two note"], user="u", source_id="d")
    moment = memory.list(user="u")[-1].updated_at
    memory.add("gamma three note", user="u", source_id="d", mode="replace")
    memory.restore(at=moment, user="u")
    memory.undo(user="u")
    records = list(memory.export())
    assert any(record.get("returned") for record in records)
    copy.import_(records)
    assert list(copy.export()) == records
    assert copy.import_(records).new["retirements"] == 0
    for one in (memory, copy):
        one.restore(at=moment, user="u")
    assert state(copy) == state(memory)
    assert {item.status for item in copy.add(["alpha one note", "beta two note"], user="u", source_id="d").items} == {
        "duplicate"
    }


# -- undo


def test_undo_takes_back_the_last_change(plain: Memory) -> None:
    """Updates, deletes, a delete of everything, a replaced and a deleted source: each whole; twice is once more."""
    a = str(plain.add("alpha one note", user="u", metadata={"n": 1}).id)
    plain.add(["beta two note", "gamma three note"], user="u", source_id="d")
    for change in (
        lambda: plain.update(a, "alpha changed", metadata={"n": 2}),
        lambda: plain.delete(a),
        lambda: plain.delete_all(user="u"),
        lambda: plain.add("delta four note", user="u", source_id="d", mode="replace"),
        lambda: plain.delete_source("d", user="u"),
        lambda: plain.restore(at=plain.list(user="u")[0].created_at, user="u"),
    ):
        before = state(plain)
        change()
        after = state(plain)
        assert after != before
        plain.undo(user="u")
        assert state(plain) == before
        plain.undo(user="u")
        assert state(plain) == after
        plain.undo(user="u")
    assert plain.verify().problems == ()


def test_undo_leaves_what_was_added(plain: Memory) -> None:
    """A message added after the change, also one that says a card again, is no change; another scope's change is not mine."""
    a = str(plain.add("alpha one note", user="u").id)
    plain.add("epsilon of another", user="v")
    plain.update(a, "alpha changed")
    plain.add(["beta two note", "alpha changed"], user="u")
    plain.delete_all(user="v")
    plain.undo(user="u")
    assert texts(plain.list(user="u")) == ["alpha one note", "beta two note"]
    assert plain.list(user="v") == []


def test_nothing_to_undo(plain: Memory) -> None:
    """A NotFound, not an empty receipt."""
    plain.add("alpha one note", user="u")
    with pytest.raises(NotFound, match="nothing was changed"):
        plain.undo(user="u")


def test_moments_differ_where_the_clock_stands(plain: Memory, clock: Any) -> None:
    """A frozen clock, or one set back, mixes up neither changes nor histories."""
    clock.step = 0
    ids = [str(plain.add(f"note {n} about shelf {n}", user="u").id) for n in range(3)]
    for id_ in ids:
        plain.delete(id_)
    plain.undo(user="u")
    assert [card.id for card in plain.list(user="u")] == [ids[2]]
    clock.now -= 3_600_000_000
    plain.update(ids[2], "note changed")
    assert [c.at for c in plain.history(ids[2])] == sorted(c.at for c in plain.history(ids[2]))


def test_a_replaced_source_is_superseded(plain: Memory) -> None:
    """History says what was put in its place apart from what was deleted by hand."""
    old = str(plain.add("alpha one note", user="u", source_id="d").id)
    plain.add("beta two note", user="u", source_id="d", mode="replace")
    assert [(c.event, c.what, c.who) for c in plain.history(old)][-1] == ("DELETE", "superseded", "user")


# -- correct


def test_correct_changes_the_one_that_is_meant(plain: Memory) -> None:
    """The words of the query stand in one memory alone; its pointer stays and its history has both texts."""
    plain.add(["The gate code is 1111.", "The dentist is on Friday at nine.", "我每天喝咖啡不加糖。"], user="u")
    receipt = plain.correct("gate code", "The gate code is 2222.", user="u")
    assert (receipt.pointer, receipt.items[0].text) == ("gate", "The gate code is 2222.")
    assert [c.new for c in plain.history("gate", user="u")] == ["The gate code is 1111.", "The gate code is 2222."]
    plain.correct("when is the dentist?", "The dentist is on Monday.", user="u")
    plain.correct("咖啡", "我现在只喝茶。", user="u")
    plain.correct("[m:gate]", "The gate has no code now.", user="u")
    assert texts(plain.list(user="u")) == ["The gate has no code now.", "The dentist is on Monday.", "我现在只喝茶。"]


def test_correct_refuses_what_is_not_clear(plain: Memory) -> None:
    """Two that fit are named; none is NotFound; blank text or query is InvalidInput; nothing changes."""
    plain.add(["The red kettle is on shelf 4.", "The blue kettle leaks."], user="u")
    before = state(plain)
    with pytest.raises(
        Ambiguous, match=r"fits 2 memories.*red kettle.*blue kettle|fits 2 memories.*blue kettle.*red kettle"
    ):
        plain.correct("kettle", "x", user="u")
    with pytest.raises(NotFound):
        plain.correct("umbrella", "x", user="u")
    for query, text in (("kettle", " "), (" ", "x")):
        with pytest.raises(InvalidInput):
            plain.correct(query, text, user="u")
    assert state(plain) == before
