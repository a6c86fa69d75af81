"""Compares every derived table with the cards, and the cards with the events; rebuilds what does not agree.

In: a store and the ledger that measures lines. Out: a Verification. Events and card texts are never changed: what cannot be
rebuilt from them is reported, not repaired.
"""

from __future__ import annotations

from collections.abc import Iterator

from zeromem.encode.digests import digest
from zeromem.ledger import Ledger, index_bytes
from zeromem.ports import Progress, Store
from zeromem.types import Card, Verification

_REBUILT = ("keyword index without card", "vector without card", "vector of the wrong size")


def verify(store: Store, ledger: Ledger, *, repair: bool, progress: Progress | None) -> Verification:
    """All checks; `repaired` counts the problems that a rebuild removed."""
    problems: list[str] = []
    repaired = 0
    with store.write() if repair else store.read():
        found = store.problems()
        for kind, rows in found.items():
            problems += [f"{kind}: {row}" for row in rows]
        for row in (row for kind in _REBUILT for row in found[kind]):
            if repair:
                _drop(store, int(row), keep_words=row in found["vector of the wrong size"])
                repaired += 1
        cards = 0
        for card, key in _current(store):
            cards += 1
            faults, mended = _check(store, card, key, repair=repair)
            problems += [fault for fault in faults if not fault.startswith("card without keyword index")]
            repaired += mended
            if progress and cards % 200 == 0:
                progress(cards, cards)
        events = sum(1 for _ in store.all_events(None))
    if progress:
        progress(cards, cards)
    checked = {"events": events, "cards": cards, "links": sum(1 for _ in store.all_links(None))}
    return Verification(checked, tuple(problems), repaired)


def _drop(store: Store, row: int, *, keep_words: bool) -> None:
    words = store.index_of(row) if keep_words else None
    store.drop_index(row)
    if words is not None:
        store.put_terms(row, words)


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
    for span in store.spans(card.id):
        if not 0 <= span.start <= span.end <= len(span.event.text):
            faults.append(f"span outside its event: {card.id} in {span.event.id}")
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
    return len(cards)
