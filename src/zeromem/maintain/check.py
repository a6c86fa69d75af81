"""Compares every derived table with the cards, and the cards with the events; rebuilds what does not agree.

In: a store and the ledger that measures lines. Out: a Verification. Events and card texts are never changed: what cannot be
rebuilt from them is reported, not repaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from zeromem.encode.digests import digest
from zeromem.ledger import Ledger, index_bytes
from zeromem.ports import Progress, Store
from zeromem.types import Card, Verification

# What a repair throws away, to be made anew: the card's words stay where only its vector is wrong.
_VECTORS = ("vector of the wrong size", "vector of another embedder")
_REBUILT = ("keyword index without card", "vector without card", *_VECTORS)


def verify(store: Store, ledger: Ledger, *, repair: bool, progress: Progress | None) -> Verification:
    """All checks; `repaired` counts the problems that a rebuild removed."""
    problems: list[str] = []
    repaired = 0
    with store.write() if repair else store.read():
        found = store.problems()
        for kind, rows in found.items():
            problems += [f"{kind}: {row}" for row in rows]
        if repair:
            repaired += _drop(store, found)
        lengths = {event.id: len(event.text) for event in store.all_events(None)}
        wrong, links = _outside(store, lengths)
        cards = 0
        for card, key in _current(store):
            cards += 1
            faults, mended = _check(store, card, key, repair=repair)
            problems += [fault for fault in faults if not fault.startswith("card without keyword index")]
            problems += [f"span outside its event: {card.id} in {event}" for event in wrong.get(card.id, ())]
            repaired += mended
            if progress and cards % 200 == 0:
                progress(cards, cards)
        if repaired:
            store.next_epoch()
    if progress:
        progress(cards, cards)
    return Verification({"events": len(lengths), "cards": cards, "links": links}, tuple(problems), repaired)


def _drop(store: Store, found: Mapping[str, Sequence[int | str]]) -> int:
    """Take the rows out of the indexes that are wrong there; return for how many faults."""
    keep = {row for kind in _VECTORS for row in found[kind]} - set(found["keyword index without card"])
    rows = [row for kind in _REBUILT for row in found[kind]]
    for row in dict.fromkeys(map(int, rows)):
        words = store.index_of(row) if row in keep else None
        store.drop_index(row)
        if words is not None:
            store.put_terms(row, words)
    return len(rows)


def _outside(store: Store, lengths: Mapping[str, int]) -> tuple[dict[str, list[str]], int]:
    """By card, the events that it points outside of; and how many links there are. Each event was read once, for its length."""
    wrong: dict[str, list[str]] = {}
    count = 0
    for card_id, event_id, start, end in store.all_links(None):
        count += 1
        if not 0 <= start <= end <= lengths[event_id]:
            wrong.setdefault(card_id, []).append(event_id)
    return wrong, count


def _current(store: Store) -> Iterator[tuple[Card, bytes]]:
    """Every current card with its stored digest."""
    latest: dict[str, tuple[Card, str, bytes]] = {}
    for card, _, op, _, key in store.all_versions(None):
        latest[card.id] = (card, op, key)
    yield from ((card, key) for card, op, key in latest.values() if op != "delete")


def _check(store: Store, card: Card, key: bytes, *, repair: bool) -> tuple[list[str], int]:
    """Faults of one card, and how many of them were mended."""
    faults, mended = [], 0
    words = index_bytes(card)
    if store.index_of(card.row) != words:
        faults.append(f"card without keyword index: {card.row}" if store.index_of(card.row) is None
                      else f"keyword index differs from the text: {card.id}")  # fmt: skip
        if repair:
            store.put_terms(card.row, words)
            mended += 1
    if key != digest(card.kind, card.role, card.speaker, card.text):
        faults.append(f"fingerprint differs from the text: {card.id}")
    return faults, mended


def reindex_words(store: Store, progress: Progress | None) -> int:
    """Write the keyword index of every current card anew; return how many."""
    with store.write():
        found = store.problems()
        for row in found["keyword index without card"]:
            store.drop_index(int(row))
        cards = [card for card, _ in _current(store)]
        for i, card in enumerate(cards, 1):
            store.put_terms(card.row, index_bytes(card))
            if progress and i % 200 == 0:
                progress(i, len(cards))
        store.next_epoch()
    return len(cards)
