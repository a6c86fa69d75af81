"""Summaries among the verbs that delete, retain and restore: no ghost, no loss, no second death."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from zeromem import Memory, NotFound

SAID = [
    "I keep walnuts in the blue tin, because the mice do not find them there at all.",
    "My sister Olga is a doctor in Riga, and she visits us in the first week of June.",
    "We paid 1,250 euros for the new boiler, which was put in on the 3rd of March.",
    "The gate code is 4471, please tell nobody outside of the family about that one.",
    "Tom promised to repair the fence behind the shed before his holidays in August.",
    "I never drink coffee after noon, for I cannot sleep then and am grumpy all day.",
    "The school of our daughter moves to Mill Road after the summer, so we cycle more.",
]  # fmt: skip
AT, LATER = "2026-01-05", "2026-02-01"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder="none", background=False) as made:
        made.add([{"role": "user", "content": text} for text in SAID], user="u", session="s1", at=AT, source_id="d")
        assert dict(made.maintain(at=LATER).summaries) == {"made": 1}
        yield made


def summary(memory: Memory) -> str:
    return "".join(card.text for card in memory.list(user="u", filters={"kind": "summary"}))


def test_everything_is_deleted_at_once(memory: Memory) -> None:
    """A summary goes with its sources, once, also where it is in the same sweep."""
    assert memory.delete_all(user="u", session="s1") >= len(SAID)
    assert memory.list(user="u") == []
    memory.undo(user="u")
    assert len(memory.list(user="u", limit=100)) >= len(SAID)
    assert memory.delete_source("d", user="u") >= 1
    assert memory.list(user="u") == [] and memory.verify().ok


def test_a_source_that_is_replaced_takes_its_summary_along(memory: Memory) -> None:
    memory.add("Nothing of all that holds.", user="u", session="s1", at=AT, source_id="d", mode="replace")
    assert summary(memory) == "" and memory.verify().ok


def test_forgetting_a_summary_leaves_its_sources(memory: Memory) -> None:
    """By a pointer or by a retention: what it only says again stays."""
    (card,) = memory.list(user="u", filters={"kind": "summary"})
    memory.retain("summary", 1, then="forget", user="u")
    assert dict(memory.maintain(user="u", at="2026-06-01").ended) == {"forget": 1}
    assert [one.text for one in memory.list(user="u") if one.kind != "summary"] == SAID
    with pytest.raises(NotFound):
        memory.get(card.id)


def test_a_retention_of_summaries_is_not_undone_by_the_next_run(memory: Memory) -> None:
    memory.retain("summary", 1, then="delete", user="u")
    memory.maintain(user="u", at="2026-06-01")
    assert dict(memory.maintain(user="u", at="2026-06-02").summaries) == {}
    assert summary(memory) == ""


@pytest.mark.parametrize("way", ["delete twice", "update twice", "metadata"])
def test_no_ghost_after_going_back(memory: Memory, way: str) -> None:
    """A summary that came back, or got metadata, is still one, and goes with its source."""
    (card,) = (one for one in memory.list(user="u") if one.text == SAID[0])
    if way == "metadata":
        (found,) = memory.list(user="u", filters={"kind": "summary"})
        memory.update(found.pointer, metadata={"seen": True}, user="u")
        memory.delete(card.pointer, user="u")
    else:
        for _ in range(2):
            if way == "delete twice":
                memory.delete(card.id, user="u")
            else:
                memory.update(card.id, "The tin is empty.", user="u")
            assert "walnut" not in summary(memory).lower()
            memory.undo(user="u")
        memory.delete(card.id, user="u")
    assert "walnut" not in summary(memory).lower()
    assert memory.verify().ok


def test_a_change_that_there_cannot_be_is_unknown(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.undo(change=2**70, user="u")
