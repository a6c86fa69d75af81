"""What every store does for a chat model: which messages it has not read, the quarantine, which cards stand on which words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from zeromem import Card, Event, Quarantined, Scope, Settings
from zeromem.ports import Store
from zeromem.store.sqlite import SQLiteStore

ANA, BEN = Scope(user="ana"), Scope(user="ben")
AT = "2026-01-01T00:00:00+00:00"
READER = "facts@1:m"


@pytest.fixture(params=["file", ":memory:"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Ana said e1 (cards c1 and, of its first five characters, d1 by a model), e2 (deleted), e3 (a tool's), Ben e4."""
    made = SQLiteStore(":memory:" if request.param == ":memory:" else str(tmp_path / "s.db"), Settings())
    with made.write():
        for id_, scope, kind in (
            ("e1", ANA, "message"),
            ("e2", ANA, "message"),
            ("e3", ANA, "tool_result"),
            ("e4", BEN, "message"),
        ):
            made.add_event(Event(id_, scope, kind, "user", None, "tea at five", AT, AT))
            first = made.add_version(_card("c" + id_[1:], scope), "add", "added", id_.encode())
            made.link(first.id, id_, 0, 11)
            if id_ == "e2":
                made.add_version(_card("c2", scope, version=2), "delete", "deleted", b"", replaces=first.row)
        made.add_version(_card("d1", ANA, made_by=READER), "add", "added", b"d")
        made.link("d1", "e1", 0, 5)
    yield made
    made.close()


def _card(id_: str, scope: Scope, *, version: int = 1, made_by: str = "rule") -> Card:
    return Card(id_, id_, version, scope, "message", "user", None, "tea at five", AT, AT, AT, None, {}, made_by, 1)


def unread(store: Store, scope: Scope = ANA, reader: str = READER) -> list[tuple[str, int]]:
    return [(event.id, tries) for _, event, tries in store.unread(scope, reader, 0, 9)]


def test_only_messages_that_stand_are_unread(store: Store) -> None:
    """Not what was deleted or retired, no tool's output, nobody else's words; each reader for itself."""
    assert (unread(store), unread(store, BEN)) == ([("e1", 0)], [("e4", 0)])
    with store.write():
        store.read_by(READER, ["e1"], "failed", 1)
    assert unread(store) == [("e1", 1)]
    with store.write():
        store.read_by(READER, ["e1"], "failed", 2)
        store.read_by("other", ["e1"], "left", 2)
    assert (unread(store), unread(store, reader="other")) == ([("e1", 2)], [])
    with store.write():
        store.read_by(READER, ["e1"], "read", 3)
    assert unread(store) == []
    with store.write():
        store.unread_again(["d1"])
    assert unread(store) == [("e1", 0)]
    with store.write():
        store.retire(["e1"], AT, "replaced")
    assert unread(store) == []


def test_the_quarantine_is_kept_judged_and_walled(store: Store) -> None:
    """An entry comes back whole; nobody else sees it; it goes with an event that the model was shown."""
    entry = Quarantined("q1", ANA, "tea at six", "ungrounded", READER, AT, "user", "Ana", "e1", ("e1", "e2"))
    with store.write():
        store.quarantine(entry)
    assert (store.quarantined(ANA), store.quarantined(BEN), store.quarantined(None, "rejected")) == ([entry], [], [])
    with store.write():
        store.decide("q1", "rejected", 5)
    assert [one.verdict for one in store.quarantined(ANA, "rejected")] == ["rejected"]
    with store.write():
        assert store.erase_events(["e2"])["quarantine"] >= 1
    assert store.quarantined(None) == []


def test_derived_cards_are_known_by_the_words_they_share(store: Store) -> None:
    """Of the same event, in overlapping spans, as long as nothing else supports them."""
    (row,) = store.stands_on(["d1", "c9"])["d1"]
    assert store.cards([row])[row].id == "c1"
    assert ([one.id for one in store.derived_alone("c1")], store.derived_alone("d1"), store.derived_alone("c4")) == (
        ["d1"],
        [],
        [],
    )
    with store.write():
        store.link("c3", "e1", 3, 9)
    assert store.derived_alone("c1") == []
    with store.write():
        store.link("c4", "e1", 6, 9)
    assert store.derived_alone("c4") == []
