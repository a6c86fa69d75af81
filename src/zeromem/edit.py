"""The verbs that change what is remembered: update, correct, delete, delete_all, delete_source.

In: a pointer or id, or a scope. Out: receipts and counts. A change is a new version, a delete a tombstone: the events stay, and
history tells what happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from zeromem.checks import checked_metadata, checked_text
from zeromem.clock import iso
from zeromem.core import Core
from zeromem.encode.cards import printable
from zeromem.encode.masking import masked, told
from zeromem.errors import InvalidInput
from zeromem.filters import scope_ids, told_in
from zeromem.ids import new_id
from zeromem.intake import retire
from zeromem.ledger import HAND
from zeromem.scoping import scope_of
from zeromem.types import Card, Event, Receipt, ReceiptItem, ScopeIds

_CHUNK = 500


class EditVerbs(Core):
    """Changes by hand."""

    def update(
        self,
        pointer: str,
        text: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        **ids: Unpack[ScopeIds],
    ) -> Receipt:
        """Give a card a new text, or new metadata (merged key by key), or both. The pointer stays.

        Raises NotFound, Ambiguous, InvalidInput for a blank text or nothing to change.
        """
        if text is None and metadata is None:
            raise InvalidInput("update needs a text, metadata, or both")
        changed, kinds = masked(checked_metadata(metadata), self._redact)
        if text is not None:
            text, more = masked(checked_text(text, "text"), self._redact)
            kinds += more
        with self._in_flight(), self._store.write():
            card = self._find(pointer, ids)
            now = self._moment()
            if text is not None:
                event = _edit_event(card, text, now)
                self._store.add_event(event)
                self._store.link(card.id, event.id, 0, len(text))
            words = card.text if text is None else printable(text)
            new = self._ledger.update(card, words, {**card.metadata, **changed}, now, "updated", made_by=HAND)
            warnings = self._embedding.degraded()
        self._wake()
        reason = "; ".join(filter(None, (f"version {new.version}", told(kinds))))
        return Receipt((ReceiptItem("stored", reason, None, new.id, new.pointer, new.text[:80], kinds),), warnings)

    def correct(self, query: str, text: str, **ids: Unpack[ScopeIds]) -> Receipt:
        """Give the one memory that `query` means a new text: what it said stays in its history.

        `query` is words that this memory holds and no other of the scope, or `[m:pointer]`. Raises NotFound where no memory holds
        them, Ambiguous where several do (the message names them), InvalidInput for a blank text.
        """
        scope_of(ids)
        checked_text(text, "text")
        card = self._find(query, ids) if self._written_as_name(query) else self._unmistakable(query, ids)
        return self.update(card.id, text, **ids)

    def delete(self, pointer: str, **ids: Unpack[ScopeIds]) -> Receipt:
        """Delete one card: it leaves every index; its events and history stay. Raises NotFound, Ambiguous."""
        with self._in_flight(), self._store.write():
            card = self._find(pointer, ids)
            gone = self._ledger.delete(card, self._moment(), "deleted")
        return Receipt((ReceiptItem("superseded", "deleted", None, gone.id, gone.pointer, card.text[:80]),))

    def delete_all(self, filters: Mapping[str, Any] | None = None, **ids: Unpack[ScopeIds]) -> int:
        """Delete every card of the scope that the filters match; return how many.

        With `session`, what that session said: a card that another session says too stays, and belongs to that one alone.
        """
        scope = scope_of({**scope_ids(filters), **ids})
        matches = told_in(scope.session, filters) if filters is not None else None
        done, after = 0, 0
        with self._in_flight(), self._store.write():
            now = self._moment()
            while cards := self._store.cards_after(scope, "birth", (0, after), _CHUNK):
                wanted = [card for card in cards if matches is None or matches(card)]
                for card in self._leave_session(wanted, scope.session, now):
                    self._ledger.delete(card, now, "deleted with its scope")
                    done += 1
                after = cards[-1].born
        return done

    def _leave_session(self, cards: Sequence[Card], session: str | None, now: int) -> list[Card]:
        """The cards that only this session says; the others are told apart from it."""
        if session is None:
            return list(cards)
        said = self._store.said_in([card.id for card in cards])
        elsewhere = {card_id: where for card_id, _, where in reversed(said) if where != session}
        left = {event_id for card_id, event_id, where in said if where == session and card_id in elsewhere}
        self._store.retire(left, iso(now), "deleted with its session")
        for card in cards:
            if card.id in elsewhere and card.session == session:
                self._ledger.move(card, elsewhere[card.id], now, "deleted with its session")
        return [card for card in cards if card.id not in elsewhere]

    def delete_source(self, source_id: str, **ids: Unpack[ScopeIds]) -> int:
        """Delete what only this source said, with what a log that grew said later; return how many cards went. An unknown source is 0."""
        scope = scope_of(ids)
        source_id = str(self._source(checked_text(source_id, "source_id")))
        with self._in_flight(), self._store.write():
            parts = self._store.source_parts(source_id, scope)
            events = [event for part in parts for event in self._store.source_events(part, scope)]
            return len(retire(self._ledger, events, self._moment(), f"source {source_id!r} was deleted", HAND))


def _edit_event(card: Card, text: str, now: int) -> Event:
    """The new words of an update are an event too, so that the card leads back to them."""
    return Event(new_id("e", now), card.scope, "edit", card.role, card.speaker, text, card.at, iso(now), card.source_id)
