"""The contract of `ports.Store`: every implementation behaves like this. A new store joins by a factory in `STORES`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zeromem import Card, Event, Scope, Settings, Span, StoreError
from zeromem.clock import micros
from zeromem.facts import FactRow
from zeromem.ports import EmbedderInfo, Recalled, Retirement, Store, Use
from zeromem.refinements import Refinement
from zeromem.store.sqlite import SQLiteStore

AT = "2026-07-25T02:00:00+00:00"
LATER = "2026-07-26T02:00:00+00:00"
ANA, BEN = Scope(user="ana"), Scope(user="ben")

STORES: dict[str, Callable[[Path], Store]] = {
    "sqlite file": lambda folder: SQLiteStore(str(folder / "contract.db"), Settings()),
    "sqlite in memory": lambda folder: SQLiteStore(":memory:", Settings()),
}


@pytest.fixture(params=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = STORES[request.param](tmp_path)
    yield made
    made.close()


def event(id_: str, scope: Scope = ANA, text: str = "tea at five", **changes: object) -> Event:
    return replace(Event(id_, scope, "message", "user", None, text, AT, AT), **changes)


def card(id_: str, scope: Scope = ANA, text: str = "tea at five", **changes: object) -> Card:
    base = Card(id_, "tea", 1, scope, "message", "user", None, text, AT, AT, AT, None, {}, "rule", 9, 4)
    return replace(base, **changes)


def put(store: Store, value: Card, digest: bytes = b"d" * 16, terms: bytes = b"\1\0\0\0") -> Card:
    """A stored first version with its keyword index."""
    with store.write():
        stored = store.add_version(value, "add", "added", digest)
        store.put_terms(stored.row, terms)
    return stored


def test_an_event_comes_back_whole(store: Store) -> None:
    """Every field of an event survives, any character in its text too."""
    full = event(
        "e1", Scope("t", "u", "a", "s"), "a \ud83d b \x00 c\r\n d 😀", kind="tool_result", role="tool", speaker="Ola",
        source_id="d1", raw='{"x": "\ud83d"}', metadata={"n": 1, "o": {"x": [None, 1.5, True, "é"]}},
    )  # fmt: skip
    with store.write():
        store.add_event(full)
    assert store.events(["e1", "e2"]) == [full]
    assert list(store.all_events(None)) == [full]


def test_a_card_comes_back_whole(store: Store) -> None:
    """Every field of a card version survives; the store gives it its row, and `born` on version 1."""
    full = card(
        "c1", Scope("t", "u", "a", "s"), "tea \x00 é 😀", speaker="Ola", source_id="d1", metadata={"n": [1, {"x": None}]},
        parts=((0, 0, 5), (0, 3, 7)),
    )  # fmt: skip
    stored = put(store, full)
    assert stored == replace(full, row=stored.row, born=stored.row)
    assert store.card("c1") == (stored, "add")
    assert store.cards([stored.row, 999]) == {stored.row: stored}
    assert store.card("nobody") is None


def test_a_transaction_is_whole_or_nothing(store: Store) -> None:
    """An error inside `write` takes back everything of it, nested parts too; the store goes on."""
    with pytest.raises(RuntimeError), store.write():
        store.add_event(event("e1"))
        with store.write():
            store.add_version(card("c1"), "add", "added", b"d")
        raise RuntimeError
    assert list(store.all_events(None)) == []
    assert store.card("c1") is None
    with store.write():
        store.add_event(event("e2"))
    assert [found.id for found in store.all_events(None)] == ["e2"]


def test_a_write_reads_its_own_words(store: Store) -> None:
    """Inside a transaction every read sees what was written before it."""
    with store.write():
        store.add_event(event("e1", source_id="d1"))
        first = store.add_version(card("c1"), "add", "added", b"k")
        store.put_terms(first.row, b"\1\0\0\0")
        store.link("c1", "e1", 0, 3)
        pointer = store.claim_pointer(["tea"], ANA, "c1")
        assert store.card("c1") == (first, "add")
        assert store.same([b"k"], ANA) == {b"k": first}
        assert [span.text for span in store.spans("c1")] == ["tea"]
        assert store.pointed(pointer, ANA) == ["c1"]
        assert [found.id for found in store.source_events("d1", ANA)] == ["e1"]
        assert [row.row for row in store.index_rows(ANA, 0)] == [first.row]


def test_a_reader_does_not_see_an_open_transaction(store: Store) -> None:
    """Another thread sees nothing of a write before it is committed, and everything after."""
    seen: list[int] = []

    def look() -> None:
        seen.append(len(list(store.all_events(None))))

    with store.write():
        store.add_event(event("e1"))
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(0.2)  # a store with one connection makes it wait instead
        if seen:
            assert seen == [0]
    thread.join(10)
    look()
    assert seen[-1] == 1


def test_reads_inside_read_are_one_state(store: Store) -> None:
    """`read` can be nested, and can stand inside `write`."""
    with store.write(), store.read():
        store.add_event(event("e1"))
        with store.read():
            assert len(store.events(["e1"])) == 1
    with store.read(), store.read():
        assert len(store.events(["e1"])) == 1


SCOPES = [
    Scope(user="ana"), Scope(user="ben"), Scope(agent="ana"), Scope(user="ana", agent="bot"), Scope("t", "ana"),
    Scope("t2", "ana"), Scope(user="ana", session="s1"), Scope(user="ana", session="s2"), Scope(user="an_"), Scope(user="ANA"),
]  # fmt: skip


def _visible(mine: Scope, other: Scope, *, session: bool) -> bool:
    names = ("tenant", "user", "agent", *(("session",) if session else ()))
    return all(getattr(mine, name) in (None, getattr(other, name)) for name in names)


@pytest.mark.parametrize("mine", SCOPES)
def test_scopes_match_by_equality(store: Store, mine: Scope) -> None:
    """A given id matches by equality, one not given is not compared, on every read that takes a scope."""
    with store.write():
        for i, scope in enumerate(SCOPES):
            store.add_event(event(f"e{i}", scope))
            stored = store.add_version(card(f"c{i}", scope), "add", "added", b"%d" % i)
            store.put_terms(stored.row, b"\1\0\0\0")
            store.link(f"c{i}", f"e{i}", 0, 3)
    narrow = {i for i, scope in enumerate(SCOPES) if _visible(mine, scope, session=True)}
    wide = {i for i, scope in enumerate(SCOPES) if _visible(mine, scope, session=False)}
    assert {int(found.id[1:]) for found in store.all_events(mine)} == narrow
    assert {int(found.id[1:]) for found, *_ in store.all_versions(mine)} == narrow
    assert {int(found.id[1:]) for found in store.cards_after(mine, "time", (-(2**62), 0), 99)} == narrow
    assert {int(id_[1:]) for id_, *_ in store.all_links(mine)} == narrow
    # What ranks or counts for a scope looks through its sessions.
    assert len(list(store.index_rows(mine, 0))) == len(wide)
    assert {int(found.id[1:]) for found in store.pending(mine, 99)} == wide
    assert store.count_pending(mine) == len(wide)
    assert sorted(store.scopes(), key=str) == sorted({scope.without_session() for scope in SCOPES}, key=str)


def test_session_events_are_the_last_in_order(store: Store) -> None:
    """The last `limit` events of a session, oldest first; texts of edits are none of them."""
    here = replace(ANA, session="s")
    with store.write():
        for i in range(5):
            store.add_event(event(f"e{i}", here, f"turn {i}"))
        store.add_event(event("e9", here, "edited", kind="edit"))
        store.add_event(event("e8", replace(BEN, session="s"), "not mine"))
    assert [found.text for found in store.session_events(here, 2)] == ["turn 3", "turn 4"]
    assert [found.text for found in store.session_events(here, None)] == [f"turn {i}" for i in range(5)]


def test_versions_replace_and_delete(store: Store) -> None:
    """Current is what nothing replaces and is no tombstone; versions keep order, op and reason; `card` gives the newest."""
    first = put(store, card("c1"))
    with store.write():
        second = store.add_version(
            replace(first, text="tea at six", version=2), "update", "moved", b"e", replaces=first.row
        )
    assert store.card("c1") == (second, "update")
    assert (second.born, second.row > first.row) == (first.born, True)
    assert [found.text for found in store.cards_after(ANA, "birth", (0, 0), 9)] == ["tea at six"]
    assert store.same([b"d" * 16, b"e"], ANA) == {b"e": second}
    with store.write():
        store.add_version(replace(second, text="", version=3), "delete", "gone", b"", replaces=second.row)
    assert store.cards_after(ANA, "birth", (0, 0), 9) == []
    assert store.same([b"e"], ANA) == {}
    assert [(found.version, op, reason) for found, op, reason in store.versions("c1")] == [
        (1, "add", "added"), (2, "update", "moved"), (3, "delete", "gone"),
    ]  # fmt: skip
    assert [(found.version, previous, op, digest) for found, previous, op, _, digest in store.all_versions(None)] == [
        (1, None, "add", b"d" * 16), (2, first.row, "update", b"e"), (3, second.row, "delete", b""),
    ]  # fmt: skip


def test_the_same_words_are_the_same_in_the_whole_scope_only(store: Store) -> None:
    """`same` compares tenant, user and agent exactly (an id not given equals only one not given), and no session."""
    for i, scope in enumerate(
        (Scope(user="ana", session="s1"), Scope(user="ana", agent="bot"), Scope("t", "ana"), BEN)
    ):
        put(store, card(f"c{i}", scope), b"same")
    found = {str(scope): store.same([b"same", b"other"], scope) for scope in (ANA, Scope(user="ana", agent="bot"), BEN)}
    assert [{key: value.id for key, value in part.items()} for part in found.values()] == [
        {b"same": "c0"}, {b"same": "c1"}, {b"same": "c3"},
    ]  # fmt: skip


def _work(store: Store, call: Callable[[], object]) -> int:
    """How many steps SQLite takes for a call, in hundreds."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    with store.read(), store._connections.borrowed() as connection:  # type: ignore[attr-defined]
        connection.set_progress_handler(count, 100)
        try:
            call()
        finally:
            connection.set_progress_handler(None, 0)
    return steps


def test_what_others_have_in_common_costs_nothing(store: Store) -> None:
    """Looking for the same text, a session or a source costs an owner the same however many owners have one of that name."""
    owners = [Scope(user=f"u{i}", agent="bot", session="main") for i in range(3000)]
    with store.write():
        for i, scope in enumerate(owners):
            store.add_event(event(f"e{i}", scope, source_id="notes.md"))
            row = store.add_version(card(f"c{i}", scope), "add", "added", b"hello").row
            store.put_terms(row, b"\1\0\0\0")
    last = owners[-1]
    for scope in (last, replace(last, agent=None), Scope(agent="bot", user="u7", session="main")):
        assert _work(store, lambda scope=scope: store.same([b"hello"], scope)) <= 5  # type: ignore[misc]
        assert _work(store, lambda scope=scope: store.session_events(scope, 5)) <= 5  # type: ignore[misc]
        assert _work(store, lambda scope=scope: store.source_events("notes.md", scope)) <= 5  # type: ignore[misc]
        assert _work(store, lambda scope=scope: list(store.index_rows(scope, 0))) <= 5  # type: ignore[misc]
    assert [found.id for found in store.session_events(last, 5)] == ["e2999"]
    assert [found.id for found in store.source_events("notes.md", Scope(agent="bot"))][-1] == "e2999"
    assert [found.id for found in store.session_events(Scope(agent="bot", session="main"), 2)] == ["e2998", "e2999"]


def test_pages_by_time_and_birth(store: Store) -> None:
    """Pages go on after the given place; equal times are told apart by birth."""
    times = [LATER, AT, AT, AT]
    for i, at in enumerate(times):
        put(store, card(f"c{i}", at=at), b"%d" % i)

    def page(order: str, after: tuple[int, int]) -> list[Card]:
        return store.cards_after(ANA, order, after, 2)  # type: ignore[arg-type]

    from zeromem.clock import micros

    first = page("time", (-(2**62), 0))
    second = page("time", (micros(first[-1].at), first[-1].born))
    assert [found.id for found in first + second] == ["c1", "c2", "c3", "c0"]
    assert [found.id for found in page("birth", (0, 0)) + page("birth", (0, 2))] == ["c0", "c1", "c2", "c3"]


def test_links_lead_to_spans(store: Store) -> None:
    """A card leads to its events in the order they happened, an event to its current cards; a link given twice is one."""
    with store.write():
        store.add_event(event("e1"))
        store.add_event(event("e2", text="tea at six"))
        store.add_version(card("c1"), "add", "added", b"d")
        for id_, start, end in (("e2", 4, 10), ("e1", 0, 3), ("e1", 0, 3)):
            store.link("c1", id_, start, end)
    first, second = store.events(["e1", "e2"])
    assert store.spans("c1") == [Span(first, 0, 3), Span(second, 4, 10)]
    assert [found.id for found in store.cards_of("e1")] == ["c1"]
    assert list(store.all_links(None)) == [("c1", "e1", 0, 3), ("c1", "e2", 4, 10)]


def test_sources_and_orphans(store: Store) -> None:
    """A retired event is no longer said by its source; a card is an orphan when all its events are retired."""
    with store.write():
        for id_ in ("e1", "e2"):
            store.add_event(event(id_, source_id="d1"))
        store.add_event(event("e3", BEN, source_id="d1"))
        for id_, events in (("c1", ("e1", "e2")), ("c2", ("e1",))):
            store.add_version(card(id_), "add", "added", id_.encode())
            for said in events:
                store.link(id_, said, 0, 3)
        store.retire(["e1"], LATER, "replaced")
        store.retire(["e1"], AT, "again")
    assert [found.id for found in store.source_events("d1", ANA)] == ["e2"]
    assert [found.id for found in store.source_events("d1", BEN)] == ["e3"]
    assert store.retired(None) == [("e1", LATER, "replaced")]
    assert [found.id for found in store.orphans(["e1"])] == ["c2"]
    with store.write():
        store.retire(["e2"], LATER, "replaced")
    assert {found.id for found in store.orphans(["e1", "e2"])} == {"c1", "c2"}


def test_a_retirement_has_an_end(store: Store) -> None:
    """An event that its source says again is no longer retired; each retirement stays known, with its moments and its end."""
    with store.write():
        store.add_event(event("e1", replace(ANA, session="s1"), source_id="d1"))
        store.retire(["e1"], AT, "replaced")
        store.unretire(["e1"], LATER)
        store.unretire(["e1"], LATER)
    assert (store.retired(None), [found.id for found in store.source_events("d1", ANA)]) == ([], ["e1"])
    assert store.retirements(ANA) == [Retirement("e1", AT, "replaced", LATER)]
    assert store.last_change(ANA) == micros(LATER)
    with store.write():
        store.retire(["e1"], LATER, "again")
    assert store.retired(None) == [("e1", LATER, "again")]
    assert store.retirements(replace(ANA, session="s1")) == [
        Retirement("e1", AT, "replaced", LATER), Retirement("e1", LATER, "again", None),
    ]  # fmt: skip
    assert (store.retirements(BEN), store.retirements(replace(ANA, session="s2"))) == ([], [])


def test_changes_by_their_moment(store: Store) -> None:
    """Cards with a version of a span of time, by scope and by the sessions that ever said them; events likewise, edits apart."""
    with store.write():
        store.add_event(event("e1", replace(ANA, session="s1")))
        store.add_event(event("e2", stored_at=LATER))
        store.add_event(event("e3", stored_at=LATER, kind="edit"))
        first = store.add_version(card("c1"), "add", "added", b"1")
        store.link("c1", "e1", 0, 3)
        assert store.last_change(ANA) is None
        store.add_version(replace(first, version=2, updated_at=LATER), "update", "said again", b"1", replaces=first.row)
        assert (store.last_change(ANA), store.last_moment()) == (None, micros(LATER))
        store.add_version(card("c2", pointer="cup"), "add", "added", b"2")
        store.add_version(replace(first, id="c3", updated_at=LATER, pointer="pot"), "delete", "deleted", b"")
        store.add_version(card("c4", BEN), "add", "added", b"4")
    at, later = micros(AT), micros(LATER)
    assert sorted(store.changed_cards(ANA, at)) == ["c1", "c2", "c3"]
    assert sorted(store.changed_cards(ANA, at + 1)) == ["c1", "c3"]
    assert sorted(store.changed_cards(ANA, at, at)) == ["c1", "c2"]
    assert store.changed_cards(replace(ANA, session="s1"), at) == ["c1"]
    assert (store.last_change(ANA), store.last_change(BEN)) == (later, None)
    assert (store.events_stored(ANA, at), store.events_stored(ANA, at + 1)) == (["e1", "e2"], ["e2"])
    assert (store.events_stored(ANA, at, at), store.events_stored(BEN, at)) == (["e1"], [])


def fact(row: int, **changes: Any) -> FactRow:
    values: dict[str, Any] = {
        "id": 0, "row": row, "start": 0, "end": 8, "subject": "user", "slot": "likes", "value": "marzipan", "polarity": "+",
        "modality": "asserted", "about": "user", "matter": "taste\nmarzipan", "sense": "marzipan", "sign": 1, "single": False,
        "change": False, "when": None, "valid_from": None, "valid_to": 5, "share": 0.5, "made_by": "en.taste.like",
    }  # fmt: skip
    return FactRow(**{**values, **changes})


def test_facts_belong_to_a_version_and_stay_within_their_scope(store: Store) -> None:
    """Every field comes back, by row, by matter and in the order of storing; another owner's scope sees none of them."""
    with store.write():
        mine = store.add_version(card("c1", text="marzipan"), "add", "added", b"1")
        theirs = store.add_version(card("c2", BEN, text="marzipan"), "add", "added", b"2")
        for row in (mine.row, theirs.row):
            store.put_terms(row, b"\1\0\0\0")
        store.add_facts(
            mine.row, [fact(mine.row), fact(mine.row, value="nougat", matter="taste\nnougat", sense="nougat")]
        )
        store.add_facts(theirs.row, [fact(theirs.row)])
    found = list(store.facts_after(ANA, 0))
    assert [(row.value, row.row) for row in found] == [("marzipan", mine.row), ("nougat", mine.row)]
    assert replace(found[0], id=0, at=0) == fact(mine.row, owner="ana")
    assert store.facts_of_rows([mine.row]) == found
    assert store.facts_on(ANA, "taste\nmarzipan", "user") == found[:1] == store.facts_on(ANA, "taste\nmarzipan", None)
    assert store.facts_on(ANA, "taste\nmarzipan", "ben") == []
    assert store.facts_under(ANA, "taste", "user") == found
    assert store.facts_under(ANA, "tast", "user") == store.facts_under(ANA, "taste", "ben") == []
    assert store.known_rows(ANA, micros(mine.updated_at)) == [mine.row]
    assert store.known_rows(ANA, micros(mine.updated_at) - 1) == []
    with store.write():
        store.drop_facts(mine.row)
    assert list(store.facts_after(ANA, 0)) == []
    assert [row.row for row in store.facts_after(BEN, 0)] == [theirs.row]


def _filled(store: Store) -> Card:
    """Two events that both say c1 (two versions, a vector, a pointer, a use), and c2 of Ben beside it."""
    with store.write():
        for id_ in ("e1", "e2"):
            store.add_event(event(id_, text="marzipan at five", source_id="d1"))
        store.add_event(event("e9", BEN, text="other words"))
        first = store.add_version(card("c1", text="marzipan at four"), "add", "added", b"1")
        new = store.add_version(
            replace(first, version=2, text="marzipan at five"), "update", "x", b"2", replaces=first.row
        )
        store.put_terms(new.row, b"\1\0\0\0")
        store.claim_pointer(["tea"], ANA, "c1")
        store.add_facts(new.row, [fact(new.row)])
        for id_ in ("e1", "e2"):
            store.link("c1", id_, 0, 8)
        other = store.add_version(card("c2", BEN, text="other words"), "add", "added", b"3")
        store.put_terms(other.row, b"\2\0\0\0")
        store.claim_pointer(["tea"], BEN, "c2")
        store.link("c2", "e9", 0, 5)
        made = store.add_embedder("m", "1", 2)
        store.put_vectors(made.id, [new.row, other.row], np.ones((2, 2), np.float32))
        store.retire(["e2"], LATER, "replaced")
        store.add_recalls(
            [Recalled("x1", replace(ANA, session="s"), 1, 2, 3, 1, "one")],
            [Use("x1", "c1", 1, "shown", 1.0, "marzipan")],
            1,
        )
    return new


def test_erased_rows_are_gone(store: Store) -> None:
    """A card goes with versions, index, vector, links, pointer and uses; an event with links and retirements; no row comes twice."""
    newest = _filled(store)
    epoch = store.marker()[2]
    assert store.source_story("d1", ANA) == ["e1", "e2"]
    assert (store.linked_cards(["e1", "e9"]), store.linked_cards([])) == (["c1", "c2"], [])
    with store.write():
        rows = store.erase_cards(["c1"])
        assert rows == {
            "uses": 1,
            "refinements": 0,
            "vectors": 1,
            "terms": 1,
            "facts": 1,
            "versions": 2,
            "links": 2,
            "pointers": 1,
            "marks": 0,
        }
        assert store.erase_events(["e1", "e2"]) == {
            "links_of_events": 0, "retirements": 1, "quarantine": 0, "readings": 0, "events": 2,
        }  # fmt: skip
        assert store.erase_recalls(replace(ANA, session="s")) == 1
        store.mark_forgotten([("c1", ANA)], LATER)
        again = store.add_version(card("c3"), "add", "added", b"9")
    assert again.row > max(newest.row, store.card("c2")[0].row)  # type: ignore[index]
    assert (store.card("c1"), store.events(["e1", "e2"]), store.pointed("tea", ANA)) == (None, [], [])
    assert (store.marker()[2] > epoch, store.forgotten("c1"), store.forgotten("c2")) == (True, (ANA, LATER), None)
    assert (store.pointed("tea", BEN), [span.event.id for span in store.spans("c2")]) == (["c2"], ["e9"])


def test_scrubbed_bytes_are_gone(store: Store) -> None:
    """After `scrub` no byte of what was erased is in the files, and what is kept is; before it the store says that it waits."""
    _filled(store)
    assert (store.erasing(), store.scrub()) == (None, False)
    assert b"marzipan" in b"".join(store.contents())
    with store.write():
        store.erase_cards(["c1"])
        store.erase_events(["e1", "e2"])
    assert store.erasing() == store.marker()[2]
    assert store.problems()["erased bytes in the file"] == [store.erasing()]
    assert store.scrub()
    held = b"".join(store.images().values())
    assert (b"marzipan" in held, b"other words" in held, store.erasing()) == (False, True, None)
    assert b"marzipan" not in b"".join(store.contents())
    assert not any(store.problems().values())


def test_versions_are_set_anew(store: Store) -> None:
    """The versions given take the place of all that the card has, chained in their order, at their rows."""
    new = _filled(store)
    with store.write():
        store.set_versions([(replace(new, version=1, born=new.row), "add", "added", b"2")])
        store.put_terms(new.row, b"\1\0\0\0")
    assert store.versions("c1") == [(replace(new, version=1, born=new.row), "add", "added")]
    assert store.same([b"2"], ANA)[b"2"].row == new.row
    assert store.same([b"1"], ANA) == {}
    assert not any(found for kind, found in store.problems().items() if kind != "erased bytes in the file")


def test_the_spans_that_current_cards_were_made_of(store: Store) -> None:
    """Those of a deleted card are not said any more."""
    with store.write():
        for id_ in ("e1", "e2"):
            store.add_event(event(id_))
        first = store.add_version(card("c1"), "add", "added", b"1")
        store.add_version(card("c2", pointer="cup"), "add", "added", b"2")
        store.link("c1", "e1", 0, 3)
        store.link("c2", "e1", 4, 10)
    assert store.said_spans(["e1", "e2"]) == {("e1", 0, 3), ("e1", 4, 10)}
    with store.write():
        store.add_version(replace(first, version=2, text=""), "delete", "deleted", b"", replaces=first.row)
    assert store.said_spans(["e1", "e2"]) == {("e1", 4, 10)}


def test_a_session_has_the_cards_that_it_says(store: Store) -> None:
    """Also those that another session said first; an event that is retired says nothing."""
    with store.write():
        for id_, scope in (("e1", replace(ANA, session="s1")), ("e2", replace(ANA, session="s2"))):
            store.add_event(event(id_, scope))
        shared = store.add_version(card("c1", replace(ANA, session="s1")), "add", "added", b"1")
        for id_ in ("e1", "e2"):
            store.link("c1", id_, 0, 3)
    for session in ("s1", "s2"):
        scope = replace(ANA, session=session)
        assert store.session_rows(scope) == [shared.row]
        assert [found.id for found in store.cards_after(scope, "birth", (0, 0), 9)] == ["c1"]
    assert sorted(store.said_in(["c1"])) == [("c1", "e1", "s1"), ("c1", "e2", "s2")]
    assert store.session_rows(replace(ANA, session="s3")) == []
    assert store.session_rows(replace(BEN, session="s1")) == []
    with store.write():
        store.retire(["e1"], LATER, "deleted with its session")
    assert store.session_rows(replace(ANA, session="s1")) == []


def test_pointers_are_unique_for_an_owner(store: Store) -> None:
    """The first free stem wins, then the least used with a number; owners and tenants do not share names."""
    with store.write():
        names = [
            store.claim_pointer(stems, ANA, f"c{i}")
            for i, stems in enumerate((["tea"], ["tea", "five"], ["tea"], ["five"]))
        ]
        other = store.claim_pointer(["tea"], BEN, "c9")
        tenant = store.claim_pointer(["tea"], Scope("t", "ana"), "c8")
    assert (names, other, tenant) == (["tea", "five", "tea2", "five2"], "tea", "tea")
    put(store, card("c0"), b"0")
    put(store, card("c9", BEN), b"9")
    put(store, card("c8", Scope("t", "ana")), b"8")
    assert sorted(store.pointed("tea", ANA)) == ["c0", "c8"]
    assert store.pointed("tea", BEN) == ["c9"]
    assert sorted(store.pointed("tea", None)) == ["c0", "c8", "c9"]
    assert store.pointed("nobody", ANA) == []
    with store.write():
        assert store.keep_pointer("tea", ANA, "c7") is False
        assert store.keep_pointer("milk3", ANA, "c7") is True
        assert store.claim_pointer(["milk"], ANA, "c6") == "milk4"


def test_only_the_written_name_is_a_pointer(store: Store) -> None:
    """A number of 1, with zeros before it, or of twelve digits is never given out, so it names nothing and is not taken over."""
    with store.write():
        names = [store.claim_pointer(["tea"], ANA, f"c{i}") for i in range(11)]
    assert names == ["tea", *(f"tea{i}" for i in range(2, 12))]
    assert [store.pointed(name, scope) for name in ("tea", "tea2", "tea11") for scope in (ANA, None)] == [
        ["c0"], ["c0"], ["c1"], ["c1"], ["c10"], ["c10"],
    ]  # fmt: skip
    for wrong in (
        "tea1",
        "tea0",
        "tea01",
        "tea02",
        "tea000001",
        "tea000000000002",
        "tea123456789012",
        "tea1234567890123",
        "2",
        "",
    ):
        assert store.pointed(wrong, ANA) == store.pointed(wrong, None) == [], wrong
        with store.write():
            assert store.keep_pointer(wrong, BEN, "c9") is False, wrong


def test_index_rows_are_what_came_after(store: Store) -> None:
    """Rows after a row, with the replaced one named; hashes only where the version is current."""
    first = put(store, card("c1"), terms=b"\1\0\0\0")
    with store.write():
        second = store.add_version(replace(first, version=2), "update", "u", b"e", replaces=first.row)
        store.drop_index(first.row)
        store.put_terms(second.row, b"\2\0\0\0")
    assert [(row.row, row.previous, row.born, row.hashes) for row in store.index_rows(ANA, 0)] == [
        (first.row, None, first.row, None), (second.row, first.row, first.row, b"\2\0\0\0"),
    ]  # fmt: skip
    assert [row.row for row in store.index_rows(ANA, first.row)] == [second.row]
    assert (store.index_of(first.row), store.index_of(second.row)) == (None, b"\2\0\0\0")


def test_vectors_belong_to_an_embedder(store: Store) -> None:
    """Pending cards come newest first; vectors are float16, grow in id, follow a copy and go with their index."""
    cards = [put(store, card(f"c{i}", text=f"tea {i}"), b"%d" % i) for i in range(3)]
    assert store.embedder() is None
    assert [found.id for found in store.pending(ANA, 2)] == ["c2", "c1"]
    with store.write():
        info = store.add_embedder("e5", "v1", 4)
        store.put_vectors(info.id, [cards[1].row, cards[2].row], np.eye(2, 4, dtype=np.float32))
    assert info == store.embedder() == EmbedderInfo(info.id, "e5", "v1", 4)
    rows = list(store.vector_rows(ANA, info.id, 0))
    assert [(row, np.frombuffer(blob, np.float16).tolist()) for _, row, blob in rows] == [
        (cards[1].row, [1, 0, 0, 0]), (cards[2].row, [0, 1, 0, 0]),
    ]  # fmt: skip
    assert list(store.vector_rows(ANA, info.id, rows[-1][0])) == []
    assert list(store.vector_rows(BEN, info.id, 0)) == []
    assert store.count_pending(None) == 1
    before = store.marker()
    with store.write():
        newer = store.add_version(replace(cards[1], version=2), "update", "u", b"x", replaces=cards[1].row)
        store.put_terms(newer.row, b"\1\0\0\0")
        store.copy_vector(cards[1].row, newer.row)
        store.drop_index(cards[1].row)
    assert [row for _, row, _ in store.vector_rows(ANA, info.id, rows[-1][0])] == [newer.row]
    assert store.marker() > before
    with store.write():
        store.clear_vectors()
    assert (list(store.vector_rows(ANA, info.id, 0)), store.count_pending(None)) == ([], 3)
    assert store.marker()[2] == before[2] + 1


def test_a_vector_for_a_card_that_went_is_dropped(store: Store) -> None:
    """A vector that arrives after its card was deleted is not kept."""
    stored = put(store, card("c1"))
    with store.write():
        info = store.add_embedder("e5", "v1", 4)
        store.drop_index(stored.row)
        store.put_vectors(info.id, [stored.row], np.eye(1, 4, dtype=np.float32))
    assert list(store.vector_rows(ANA, info.id, 0)) == []


def test_uses_are_appended(store: Store) -> None:
    """A recall with its uses comes back in order, for its scope only; figures count them."""
    put(store, card("c1"))
    recalled = Recalled("x1", ANA, 1_000_000, 40, 100, 1, "one memory")
    shown = Use("x1", "c1", 1, "shown", 1.0, "recalled")
    used = Use("x1", "c1", 1, "used", 1.0, "told")
    judged = Use("x1", None, None, "outcome", -0.5, "told")
    with store.write():
        store.add_recalls([recalled], [shown], 1)
        store.add_recalls([], [used, judged], 2)
        store.add_recalls([Recalled("x2", ANA, 1, 0, 100, 0, "silent")], [], 3)
    assert store.recall("x1", ANA) == [shown, used, judged]
    assert store.recall("x1", BEN) is None
    assert store.recall("x3", None) is None
    figures = store.figures(ANA)
    assert {name: figures[name] for name in ("recalls", "hits", "mean", "saved", "shown", "used", "outcomes", "cards")} == {
        "recalls": 2, "hits": 1, "mean": 40.0, "saved": 60, "shown": 1, "used": 1, "outcomes": 1, "cards": 1,
    }  # fmt: skip
    assert store.figures(BEN)["mean"] is None


def test_problems_are_named(store: Store) -> None:
    """A healthy store names no problem; a card without its parts is named under each kind."""
    with store.write():
        store.add_event(event("e1"))
        store.link("c1", "e1", 0, 3)
        store.claim_pointer(["tea"], ANA, "c1")
    stored = put(store, card("c1"))
    assert not any(store.problems().values())
    with store.write():
        store.add_version(card("c2"), "add", "added", b"z")
    kinds = {kind for kind, found in store.problems().items() if found}
    assert kinds - {"card without keyword index"} == {"card without event"}
    assert stored.row


def test_erase_leaves_an_empty_store(store: Store) -> None:
    """Everything goes; the epoch grows so that readers notice; the store can be written at once."""
    put(store, card("c1"))
    before = store.marker()
    store.erase()
    assert list(store.all_events(None)) == [] and list(store.all_versions(None)) == []
    assert (store.scopes(), store.embedder(), store.marker()[2] > before[2]) == ([], None, True)
    assert put(store, card("c1")).row >= 1


def test_a_closed_store_says_so(store: Store) -> None:
    """After `close` every call is a StoreError, and closing again is fine."""
    store.close()
    store.close()
    for call in (store.scopes, store.marker, lambda: store.events(["e1"]), lambda: list(store.all_events(None))):
        with pytest.raises(StoreError):
            call()
    with pytest.raises(StoreError), store.write():
        pass


def test_driver_errors_do_not_leak(store: Store) -> None:
    """A broken rule of the schema is a StoreError, not an error of the driver, and takes the transaction back."""
    put(store, card("c1"))
    with pytest.raises(StoreError), store.write():
        store.add_version(card("c1"), "add", "the same version again", b"d")
    assert len(store.versions("c1")) == 1


def shorter(row: int, text: str = "tea", **changes: object) -> Refinement:
    return replace(
        Refinement(row, "shorten", text, None, 3, (), "said briefly", "rule:shorten", {"left": ["at five"]}), **changes
    )


def test_the_last_refinement_of_a_version_counts(store: Store) -> None:
    """What was made of a version stands until something else is made of it; an undo leaves it as it was said."""
    one, two = put(store, card("c1"), b"1" * 16), put(store, card("c2", text="tea at five with Ben"), b"2" * 16)
    with store.write():
        first = store.refine([shorter(one.row), shorter(two.row, "tea with Ben")], micros(AT))
    with store.write():
        second = store.refine([shorter(one.row, None, op="inside", inside=two.row, tokens=0)], micros(LATER))
    kept = store.refined([one.row, two.row])
    assert {row: (how.text, how.inside, how.change, how.at) for row, how in kept.items()} == {
        one.row: (None, two.row, second, micros(LATER)), two.row: ("tea with Ben", None, first, micros(AT)),
    }  # fmt: skip
    assert kept[two.row].lost == {"left": ["at five"]}
    assert [how.op for how in store.refinements_of("c1")] == ["shorten", "inside"]
    assert store.storage(ANA) == (len("tea at five") + len("tea at five with Ben"), len("tea with Ben"))
    assert (store.change_rows(first, ANA), store.change_rows(second, ANA)) == ([two.row], [one.row])
    assert store.change_rows(second, BEN) is None
    with store.write():  # two holds the words of one, so both stand as they were said
        assert store.unrefine([two.row], micros(LATER), "deleted", "hand") == 2
    assert store.refined([one.row, two.row]) == {}
    assert store.change_rows(first, ANA) == []
    assert sorted(store.refinements_after(ANA, first + 1), key=str) == [(one.row, None), (two.row, None)]
    with store.write():
        assert store.unrefine([two.row], micros(LATER), "deleted", "hand") == 0


def test_what_is_erased_takes_its_refinements_along(store: Store) -> None:
    """Refined words that may hold those of an erased card go, with those of every card that was joined to it."""
    one, two, three = (put(store, card(f"c{n}"), bytes([n]) * 16) for n in (1, 2, 3))
    with store.write():
        store.refine([shorter(one.row, None, op="inside", inside=two.row)], micros(AT))
        store.refine([shorter(two.row, "both", op="merge")], micros(AT))
        store.refine([shorter(three.row)], micros(AT))
    with store.write():
        store.erase_cards(["c1"])
    assert (store.refinements_of("c1"), store.refinements_of("c2")) == ([], [])
    assert list(store.refined([two.row, three.row])) == [three.row]


def test_derived_cards_are_found_by_what_they_were_made_of(store: Store) -> None:
    """A card made of others is known by `made_by`, and found from a card that was made of the same characters."""
    with store.write():
        store.add_event(event("e1", text="tea at five. cake at six."))
    for id_, made_by, start, stop in [("c1", "rule", 0, 12), ("c2", "rule", 13, 25), ("c3", "summary:1:2.3", 0, 12)]:
        put(store, card(id_, made_by=made_by, kind="summary" if id_ == "c3" else "message"), id_.encode() * 8)
        with store.write():
            store.link(id_, "e1", start, stop)
    assert [[one.id for one in store.derived(id_)] for id_ in ("c1", "c2", "c3")] == [["c3"], [], []]
    assert [one.id for one in store.cards_of_kind(ANA, "summary")] == ["c3"]
    assert store.cards_of_kind(BEN, "summary") == []
    assert [one.id for one in store.cards_of("e1")] == ["c1", "c2"]
