"""Compares every derived table with the cards, and the cards with the events; rebuilds what does not agree.

In: a ledger, whose counter measures lines, and its store. Out: a Verification. Events and card texts are never changed: what
cannot be rebuilt from them is reported, not repaired. Rows that cannot be read are reported and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from zeromem.encode.digests import digest
from zeromem.encode.stated import stated
from zeromem.facts import FactRow
from zeromem.ids import split_pointer
from zeromem.ledger import Ledger, index_bytes, measured
from zeromem.ports import Progress, Store
from zeromem.route import FOLLOWS
from zeromem.text.tokens import count as o200k
from zeromem.types import Card, Scope, Verification

# What a repair throws away, to be made anew: the card's words stay where only its vector is wrong.
_VECTORS = ("vector of the wrong size", "vector of another embedder")
_REBUILT = ("keyword index without card", "vector without card", *_VECTORS)

Latest = dict[str, tuple[Card, str, bytes]]  # by id the newest version, what it did, and its stored digest


def verify(store: Store, ledger: Ledger, *, repair: bool, progress: Progress | None) -> Verification:
    """All checks; `repaired` counts the problems that a rebuild removed."""
    spoilt: list[str] = []
    repaired = 0
    with store.write() if repair else store.read(), store.lenient():
        found = store.problems()
        problems = [f"{kind}: {row}" for kind, rows in found.items() for row in rows]
        if repair:
            repaired += _drop(store, found) + len(found["no epoch"])
        said = {event.id: (len(event.text), event.scope.without_session()) for event in store.all_events(None, spoilt)}
        latest, broken = _latest(store, spoilt)
        wrong, links = _outside(store, said, latest)
        pointers, mended = _pointers(store, [card for card, *_ in latest.values()], repair=repair)
        problems += spoilt + broken + pointers
        repaired += mended
        cards = 0
        for card, key in _current(latest):
            cards += 1
            faults, mended = _check(ledger, card, key, repair=repair)
            problems += [fault for fault in faults if not fault.startswith("card without keyword index")]
            problems += wrong.get(card.id, ())
            repaired += mended
            if progress and cards % 200 == 0:
                progress(cards, cards)
        if repaired:
            store.next_epoch()
    if progress:
        progress(cards, cards)
    return Verification({"events": len(said), "cards": cards, "links": links}, tuple(problems), repaired)


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


def _outside(store: Store, said: Mapping[str, tuple[int, Scope]], latest: Latest) -> tuple[dict[str, list[str]], int]:
    """By card, what its links have wrong; and how many links there are. Each event was read once, for its length and owner."""
    wrong: dict[str, list[str]] = {}
    count = 0
    for card_id, event_id, start, end in store.all_links(None):
        count += 1
        if event_id not in said or card_id not in latest:  # one that cannot be read or is lost, which is told already
            continue
        length, owner = said[event_id]
        if not 0 <= start <= end <= length:
            wrong.setdefault(card_id, []).append(f"span outside its event: {card_id} in {event_id}")
        if owner != latest[card_id][0].scope.without_session():
            wrong.setdefault(card_id, []).append(f"event of another owner: {card_id} in {event_id}")
    return wrong, count


def _latest(store: Store, spoilt: list[str] | None) -> tuple[Latest, list[str]]:
    """The newest version of every card, and which versions do not follow from the one before."""
    latest: Latest = {}
    broken = []
    for card, previous, op, _, key in store.all_versions(None, spoilt):
        before = latest[card.id][0] if card.id in latest else None
        if (card.version, previous, card.born) != (
            (before.version + 1, before.row, before.born) if before else (1, None, card.row)
        ) or (before and (card.scope.owner, card.pointer) != (before.scope.owner, before.pointer)):
            broken.append(f"version does not follow from the one before: {card.id} version {card.version}")
        latest[card.id] = (card, op, key)
    return latest, broken


def _current(latest: Latest) -> Iterable[tuple[Card, bytes]]:
    """Every current card with its stored digest."""
    return ((card, key) for card, op, key in latest.values() if op != "delete")


def _pointers(store: Store, cards: Sequence[Card], *, repair: bool) -> tuple[list[str], int]:
    """Pointers that do not lead to the card that bears them, and how many of them were mended. A deleted card keeps its own."""
    faults: list[str] = []
    mended = 0
    borne: dict[tuple[str, str, str, int], str] = {}
    for card in cards:
        place = split_pointer(card.pointer)
        key = (place[0], card.scope.owner, card.scope.tenant or "", place[1]) if place else None
        if key is None or borne.setdefault(key, card.id) != card.id:
            faults.append(f"{'pointer of another card' if key else 'pointer of no form'}: {card.id}")
    stored = dict(store.all_pointers())
    ids = {card.id for card in cards}
    lost = {key: id_ for key, id_ in borne.items() if stored.get(key) != id_}
    stale = {key: id_ for key, id_ in stored.items() if id_ in ids and key not in borne}
    faults += [f"card without its pointer: {id_}" for id_ in lost.values()]
    faults += [f"pointer that its card does not bear: {id_}" for id_ in stale.values()]
    if repair:
        mended = len(lost) + len(stale)
        for key in stale:
            store.set_pointer(key, None)
        for key, id_ in lost.items():
            store.set_pointer(key, id_)
    return faults, mended


def _check(ledger: Ledger, card: Card, key: bytes, *, repair: bool) -> tuple[list[str], int]:
    """Faults of one card, and how many of them were mended."""
    store = ledger.store
    faults = []
    words, there = index_bytes(card), store.index_of(card.row)
    if there != words:
        faults.append(f"card without keyword index: {card.row}" if there is None
                      else f"keyword index differs from the text: {card.id}")  # fmt: skip
        if repair:
            store.put_terms(card.row, words)
    right = digest(card.kind, card.role, card.speaker, card.text)
    if key != right:
        faults.append(f"fingerprint differs from the text: {card.id}")
    fresh = measured(card, ledger.count)
    if fresh != card:
        faults.append(f"token counts differ from the text: {card.id}")
    if _told(store.facts_of_rows([card.row])) != _told(stated(card)):
        faults.append(f"facts differ from the text: {card.id}")
        if repair:
            ledger.restate(card)
    if repair and (key != right or fresh != card):
        store.set_derived(fresh, right)
    return faults, len(faults) if repair else 0


def _told(facts: Sequence[FactRow]) -> list[tuple[str, str, str, str, int, int]]:
    """What facts say; whom a change is about depends on what was known when it was told."""
    told = (
        (f.subject, f.slot, f.value, f"{f.polarity}{f.modality}", f.start, f.end) for f in facts if f.made_by != FOLLOWS
    )
    return sorted(told, key=repr)  # a damaged text is bytes


def other_counter(store: Store, ledger: Ledger) -> tuple[str, ...]:
    """A warning where the newest card was measured by another counter. o200k is not asked, for that loads its vocabulary."""
    if ledger.count is o200k:
        return ()
    newest = store.marker()[0]
    card = store.cards([newest]).get(newest)
    if card is None or not card.text or measured(card, ledger.count).tokens == card.tokens:
        return ()
    return ("the stored token counts are another counter's, so budgets are not exact; `reindex` measures anew",)


def reindex_words(ledger: Ledger, progress: Progress | None) -> int:
    """Write the keyword index, the facts and the token counts of every current card anew; return how many."""
    store = ledger.store
    with store.write():
        found = store.problems()
        for row in found["keyword index without card"]:
            store.drop_index(int(row))
        cards = list(_current(_latest(store, None)[0]))
        for i, (card, key) in enumerate(cards, 1):
            store.put_terms(card.row, index_bytes(card))
            fresh = measured(card, ledger.count)
            if fresh != card:
                store.set_derived(fresh, key)
            ledger.restate(card)
            if progress and i % 200 == 0:
                progress(i, len(cards))
        store.next_epoch()
    return len(cards)
