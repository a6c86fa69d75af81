"""The verbs that go back: restore and undo.

In: a pointer, a moment, a scope. Out: receipts. Going back only adds: each card that was otherwise gets a version that says again
what it said, so a restore is undone like any other change. What was forgotten is not there to come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

from zeromem.asking import time_of
from zeromem.checks import shown
from zeromem.clock import iso, micros
from zeromem.core import Core
from zeromem.encode.digests import digest
from zeromem.errors import InvalidInput, NotFound
from zeromem.ledger import HAND
from zeromem.scoping import optional_scope, scope_of
from zeromem.types import Card, Receipt, ReceiptItem, Scope, ScopeIds

_SHOWN = 80  # characters of a text in a receipt


class UndoVerbs(Core):
    """Back to what was."""

    def restore(self, pointer: str | None = None, *, at: Any = None, **ids: Unpack[ScopeIds]) -> Receipt:
        """Bring a deleted card back, or return a card (with `pointer` and `at`) or the whole scope (`at` alone) to a moment.

        `at` is a time as in `add`; what was stored at that very moment counts. Cards born later are deleted, deleted ones come back,
        texts, metadata and sessions are as they were, and sources say what they said. With `session`: the cards that it ever said.
        A restore can itself be undone. The receipt names what came back ("stored"), what went ("superseded"), and what stays deleted
        because its words were said again since ("duplicate"). Raises NotFound, Ambiguous, InvalidInput.
        """
        first = None if at is None else micros(time_of(at, "at")) + 1
        if pointer is None:
            if first is None:
                raise InvalidInput("restore needs a pointer, at=, or both")
            scope = scope_of(ids)
            with self._in_flight(), self._store.write():
                cards = self._store.changed_cards(scope, first)
                items = self._return(scope, cards, first, None, f"restored to {iso(first - 1)}")
            self._wake()
            return Receipt(tuple(items), self._embedding.degraded())
        with self._in_flight(), self._store.write():
            items = self._restore_one(pointer, first, ids)
        self._wake()
        return Receipt(tuple(items), self._embedding.degraded())

    def undo(self, *, change: int | str | None = None, **ids: Unpack[ScopeIds]) -> Receipt:
        """Take back the last change of the scope: an update, delete, restore, undo, or a source that was replaced or deleted, whole.

        What was only added stays. Undoing twice does it again. `change` is what upkeep made of texts: its number, as `maintain` told it, or the
        pointer of one memory, which is then shown as it was said, and stays so. The receipt is as that of `restore`. Raises NotFound where
        there is nothing to take back, Ambiguous.
        """
        if change is not None:
            return self._unrefined(change, ids)
        scope = scope_of(ids)
        with self._in_flight(), self._store.write():
            moment = self._store.last_change(scope)
            if moment is None:
                raise NotFound("nothing was changed in this scope; what was added is taken back by delete")
            cards = self._store.changed_cards(scope, moment, moment)
            items = self._return(scope, cards, moment, moment, f"took back what was done at {iso(moment)}")
        self._wake()
        return Receipt(tuple(items), self._embedding.degraded())

    def _unrefined(self, change: int | str, ids: ScopeIds) -> Receipt:
        """Show memories as they were said: those of a change of upkeep, or the one that a pointer names."""
        with self._in_flight(), self._store.write():
            if isinstance(change, str) and not change.strip().isdecimal():
                rows = [self._find(change, ids).row]
            elif isinstance(change, bool) or not isinstance(change, int | str):
                raise InvalidInput(f"change must be a number or a pointer, not {type(change).__name__}")
            else:
                found = self._store.change_rows(min(int(change), 2**63 - 1), optional_scope(ids))
                if found is None:
                    raise NotFound(f"nothing is known as change {shown(change)} in this scope")
                rows = found
            cards = self._store.cards(rows)
            before = self._store.refined(rows)
            rows = [row for row in rows if row in before]
            if not rows:
                raise NotFound("there is nothing to take back: it is shown as it was said")
            self._store.unrefine(rows, self._moment(), "taken back", HAND)
        items = [
            _item("stored", f"shown as it was said ({before[row].op} taken back)", cards[row], cards[row].text)
            for row in rows
        ]
        return Receipt(tuple(items), self._embedding.degraded())

    def _restore_one(self, pointer: str, first: int | None, ids: ScopeIds) -> list[ReceiptItem]:
        scope = optional_scope(ids)
        found = self._candidates(pointer, scope)
        if not found:
            raise self._unknown(pointer, scope, "was ever")
        card, alive = found[0]
        if first is None:
            if alive:
                raise InvalidInput(f"[m:{card.pointer}] is not deleted; restore(…, at=…) returns it to a moment")
        elif first <= micros(card.created_at):
            raise InvalidInput(f"[m:{card.pointer}] was not there yet; it was created at {card.created_at}")
        now = self._moment()
        reason = "restored" if first is None else f"restored to {iso(first - 1)}"
        items, revived = self._return_cards([card.id], first, now, reason)
        spoken = [span.event.id for id_ in revived for span in self._store.spans(id_)]
        self._store.unretire(spoken, iso(now))
        return items

    def _return(
        self, scope: Scope, cards: Iterable[str], first: int, last: int | None, reason: str
    ) -> list[ReceiptItem]:
        """Take back what happened to these cards, and to what sources say, from the moment `first` on (to `last`)."""
        now = self._moment()
        items, _ = self._return_cards(cards, first, now, reason)
        later = set(self._store.events_stored(scope, first, last))
        said: dict[str, list[tuple[int, int | None]]] = {id_: [] for id_ in later}
        for one in self._store.retirements(scope):
            ended = None if one.returned is None else micros(one.returned)
            said.setdefault(one.event_id, []).append((micros(one.at), ended))
        back: list[str] = []
        gone: list[str] = []
        for id_, spans in said.items():
            moments = [moment for span in spans for moment in span if moment is not None]
            if id_ not in later and not any(first <= m and (last is None or m <= last) for m in moments):
                continue
            was = id_ in later or any(begun < first and (end is None or end >= first) for begun, end in spans)
            if was != any(end is None for _, end in spans):
                (gone if was else back).append(id_)
        self._store.unretire(back, iso(now))
        self._store.retire(gone, iso(now), reason)
        return items

    def _return_cards(
        self, ids: Iterable[str], first: int | None, now: int, reason: str
    ) -> tuple[list[ReceiptItem], list[str]]:
        """The cards as they were before `first` (None: when they were last there): what went, then what came back or changed; and the
        ids of those that came back."""
        items: list[ReceiptItem] = []
        returning: list[tuple[Card, bool, Card]] = []
        for id_ in ids:
            versions = self._store.versions(id_)
            newest, op, _ = versions[-1]
            before = [(card, how) for card, how, _ in versions if first is None or micros(card.updated_at) < first]
            if first is None:
                before = [(card, how) for card, how in before if how != "delete"]
            if before and before[-1][1] != "delete":
                returning.append((newest, op != "delete", before[-1][0]))
            elif op != "delete":
                self._ledger.delete(newest, now, reason)
                told = "was deleted then" if before else "was not there yet"
                items.append(_item("superseded", told, newest, newest.text))
        revived = []
        for newest, alive, earlier in returning:
            if alive and _content(newest) == _content(earlier):
                continue
            twin = None if alive else self._twin(earlier)
            if twin is not None:
                items.append(_item("duplicate", f"said again since, as [m:{twin.pointer}]", newest, earlier.text))
                continue
            card = self._ledger.restore(newest, earlier, now, reason)
            items.append(_item("stored", f"restored as version {card.version}", card, card.text))
            revived += [] if alive else [card.id]
        return items, revived

    def _twin(self, card: Card) -> Card | None:
        """The current card that says the same words."""
        key = digest(card.kind, card.role, card.speaker, card.text)
        return self._store.same([key], card.scope).get(key)


def _content(card: Card) -> Sequence[Any]:
    return card.text, dict(card.metadata), card.scope, card.speaker, card.at, card.source_id


def _item(status: Any, reason: str, card: Card, text: str) -> ReceiptItem:
    return ReceiptItem(status, reason, None, card.id, card.pointer, text[:_SHOWN])
