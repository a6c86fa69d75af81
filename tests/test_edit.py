"""What changing and adding again comes to: deletes, sources, sessions that share words, metadata."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import Document, Memory

SAY = [{"role": "user", "content": "The pump is red."}, {"role": "user", "content": "The valve is blue."}]


@pytest.fixture
def mem(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory("edit.db", embedder="none")


def texts(mem: Memory, **ids: Any) -> list[str]:
    return [card.text for card in mem.list(user="u", **ids)]


def statuses(receipt: Any) -> list[str]:
    return [item.status for item in receipt.items]


@pytest.mark.parametrize("mode", ["append", "replace"])
def test_what_was_deleted_by_hand_is_stored_when_its_source_says_it_again(mem: Memory, mode: Any) -> None:
    first = mem.add(SAY, user="u", source_id="s")
    mem.delete(first.items[0].pointer, user="u")
    again = mem.add(SAY, user="u", source_id="s", mode=mode)
    assert statuses(again)[:2] == ["stored", "duplicate"]
    assert texts(mem) == ["The valve is blue.", "The pump is red."]
    assert [hit.card.text for hit in mem.search("pump", user="u")] == ["The pump is red."]
    assert set(statuses(mem.add(SAY, user="u", source_id="s", mode=mode))) == {"duplicate"}
    assert len(list(mem.export(user="u"))) == len({str(record) for record in mem.export(user="u")})
    assert sum(record["type"] == "event" for record in mem.export(user="u")) == 2


def test_the_same_source_after_delete_all_is_stored(mem: Memory) -> None:
    mem.add(SAY, user="u", source_id="s")
    assert mem.delete_all(user="u") == 2
    assert statuses(mem.add(SAY, user="u", source_id="s")) == ["stored", "stored"]


def test_a_session_deletes_what_only_it_said(mem: Memory) -> None:
    mem.add(SAY, user="u", session="s1")
    mem.add(SAY[0], user="u", session="s2")
    assert texts(mem, session="s2") == ["The pump is red."]
    assert mem.delete_all(user="u", session="s1") == 1
    assert texts(mem, session="s1") == []
    assert texts(mem, session="s2") == texts(mem) == ["The pump is red."]
    assert mem.delete_all(user="u", session="s2") == 1
    assert texts(mem) == []


def test_a_filter_for_a_session_finds_what_it_says(mem: Memory) -> None:
    mem.add(SAY[0], user="u", session="s1")
    mem.add(SAY, user="u", session="s2")
    for session, count in (("s1", 1), ("s2", 2), ("s3", 0)):
        assert len(mem.list(user="u", filters={"session": session})) == count
        assert len(mem.search("pump or valve", user="u", filters={"user": "u", "session": session})) == count
    assert mem.delete_all({"session": "s1"}, user="u") == 0
    assert len(mem.list(user="u", filters={"session": "s1"})) == 0
    assert {card.session for card in mem.list(user="u")} == {"s2"}
    assert "s1" not in mem.recall("Which colour has the pump?", user="u").text
    assert mem.delete_all({"session": "s2"}, user="u") == 2


def image(name: str) -> dict[str, Any]:
    part = {"type": "image_url", "image_url": {"url": f"https://example.org/{name}.png"}}
    return {"role": "user", "content": [{"type": "text", "text": "Look at this."}, part]}


def test_equal_words_beside_another_image_are_other_content(mem: Memory) -> None:
    mem.add(image("a"), user="u", source_id="s")
    assert "other content" in mem.add(image("b"), user="u", source_id="s").items[0].reason
    mem.add(image("b"), user="u", source_id="s", mode="replace")
    raws = [record["raw"] for record in mem.export(user="u") if record["type"] == "event"]
    assert [name in str(raws) for name in ("a.png", "b.png")] == [True, True]
    assert texts(mem) == ["Look at this.\n[image]"]


@pytest.mark.parametrize("mode", ["append", "replace"])
def test_a_section_deleted_by_hand_comes_back_with_its_source(mem: Memory, mode: Any) -> None:
    text = "# Pump\n\nThe pump is red.\n\n# Valve\n\nThe valve is blue.\n"
    mem.add(Document(text, title="plant.md"), user="u", source_id="d")
    before = texts(mem)
    assert len(before) == 2
    mem.delete(mem.search("valve", user="u")[0].card.id, user="u")
    again = mem.add(Document(text, title="plant.md"), user="u", source_id="d", mode=mode)
    assert statuses(again) == ["stored"]
    assert sorted(texts(mem)) == sorted(before)


def test_a_card_is_told_in_every_session_that_says_it(mem: Memory) -> None:
    mem.add(SAY[0], user="u", session="s1")
    mem.add(SAY, user="u", session="s2")
    within = mem.search("pump or valve", user="u", session="s2", within="session")
    assert {hit.card.text for hit in within} == {"The pump is red.", "The valve is blue."}
    assert {h.card.text for h in mem.search("pump or valve", user="u", exclude_session="s2")} == set()
    assert {h.card.text for h in mem.search("pump or valve", user="u", exclude_session="s1")} == {"The valve is blue."}


def test_metadata_of_words_said_again_is_found_by_filters(mem: Memory) -> None:
    mem.add(SAY[0], user="u", metadata={"room": "cellar"})
    receipt = mem.add(SAY[0], user="u", metadata={"room": "attic", "shift": "night"})
    assert statuses(receipt) == ["duplicate"]
    assert [card.metadata for card in mem.list(filters={"shift": "night"}, user="u")] == [
        {"room": "cellar", "shift": "night"}
    ]
    assert mem.search("pump", user="u", filters={"user": "u", "shift": "night"})[0].card.version == 2


def test_replace_takes_new_metadata_over(mem: Memory) -> None:
    mem.add(SAY, user="u", source_id="s", metadata={"rev": 1})
    receipt = mem.add(SAY, user="u", source_id="s", metadata={"rev": 2}, mode="replace")
    assert statuses(receipt) == ["duplicate", "duplicate"]
    assert [card.metadata for card in mem.list(user="u")] == [{"rev": 2}, {"rev": 2}]
    mem.add(SAY, user="u", source_id="s", mode="replace")
    assert [card.version for card in mem.list(user="u")] == [2, 2]


@pytest.mark.parametrize("how", ["delete", "replace"])
def test_a_card_edited_by_hand_goes_with_its_source(mem: Memory, how: str) -> None:
    pointer = mem.add(SAY, user="u", source_id="s").items[0].pointer
    mem.update(pointer, "The pump is dark red.", user="u")
    if how == "delete":
        assert mem.delete_source("s", user="u") == 2
        assert texts(mem) == []
    else:
        mem.add(SAY[1], user="u", source_id="s", mode="replace")
        assert texts(mem) == ["The valve is blue."]


def test_replace_with_the_same_words_keeps_an_edit(mem: Memory) -> None:
    pointer = mem.add(SAY, user="u", source_id="s").items[0].pointer
    mem.update(pointer, "The pump is dark red.", user="u")
    mem.add(SAY, user="u", source_id="s", mode="replace")
    assert texts(mem) == ["The pump is dark red.", "The valve is blue."]


def test_search_gives_as_many_as_are_asked_for(mem: Memory) -> None:
    mem.add([{"role": "user", "content": f"Pump number {i} runs."} for i in range(300)], user="u")
    assert len(mem.search("pump", user="u", k=250)) == 250


def test_recall_holds_what_a_large_budget_holds(mem: Memory) -> None:
    mem.add([{"role": "user", "content": f"Pump number {i} runs."} for i in range(300)], user="u")
    context = mem.recall("Which pumps run?", user="u", budget=20_000)
    assert len(context.cards) == 300


def test_a_turn_without_words_recalls_nothing_and_does_not_fail(mem: Memory) -> None:
    mem.add(SAY, user="u")
    image = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    before = {"role": "user", "content": "Which colour has the pump?"}
    for turn in (
        "",
        " \n",
        [{"role": "user", "content": " "}],
        [before, {"role": "user", "content": image}],
        [{"role": "assistant", "content": "Hi there"}],
    ):
        context = mem.recall(turn, user="u")
        assert (context.text, context.tokens, context.reason) == ("", 0, "nothing is asked: no user text")


def test_the_time_zero_is_a_time(mem: Memory) -> None:
    mem.add("The pump was made.", user="u", at="1970-01-01T00:00:00+00:00")
    hits = mem.search("what was made yesterday?", user="u", at=0)
    assert hits.times == ("yesterday",)
    assert hits.trace[0].detail["times"] == ["yesterday: 1969-12-31…1970-01-01"]


def test_what_recall_showed_is_written_with_the_next_add(tmp_path: Path) -> None:
    path = tmp_path / "uses.db"
    first = Memory.open(path, embedder="none")
    first.add(SAY, user="u")
    shown = first.recall("Which colour has the pump?", user="u")
    first.add("The tank is green.", user="u")
    with Memory.open(path, embedder="none") as second:  # while the first is open still
        assert second.feedback(shown.id, used=[shown.cards[0].pointer], user="u").used == (shown.cards[0].pointer,)
    first.close()
