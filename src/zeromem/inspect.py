"""The verbs that look: get, expand, resolve, list, messages, history, stats, scopes, verify, reindex.

In: pointers, ids, texts, scopes. Out: cards, events and figures. `verify(repair=True)` and `reindex` rewrite what is derived,
never what was said.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections import deque
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any, Literal, Unpack

from zeromem.changes import Change
from zeromem.checks import checked_limit, shown
from zeromem.clock import iso, local, micros
from zeromem.core import Core, pointer_name, pointers_in
from zeromem.errors import Ambiguous, InvalidInput, StoreBusy
from zeromem.facts import EventTime
from zeromem.filters import scope_ids, told_in
from zeromem.ledger import HAND, who
from zeromem.maintain.check import other_counter, reindex_words, verify
from zeromem.ports import Mark, Progress
from zeromem.refinements import Refinement
from zeromem.scoping import optional_scope, scope_of, sees
from zeromem.text.times import TimeSpan, find
from zeromem.types import Card, Event, Expansion, Page, Resolution, Scope, ScopeIds, Stats, Verification

# The verb `list` hides the builtin inside the class.
Changes = list[Change]
Events = list[Event]
Scopes = list[Scope]
_EVENTS: dict[str, Literal["ADD", "UPDATE", "DELETE", "RESTORE", "FORGET"]] = {
    "add": "ADD", "update": "UPDATE", "delete": "DELETE", "restore": "RESTORE",
}  # fmt: skip

MarkEvent = Literal["PIN", "UNPIN", "ARCHIVE", "MOVE"]
_MARKS: dict[str, MarkEvent] = {"pinned": "PIN", "unpinned": "UNPIN", "archive": "ARCHIVE"}


class InspectVerbs(Core):
    """Looking without changing."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What opening the file noticed, and what is out of use."""
        return (*self._store.warnings, *other_counter(self._store, self._ledger), *self._embedding.degraded())

    def get(self, pointer: str, **ids: Unpack[ScopeIds]) -> Card:
        """The current version of a card, by pointer or id, in the words that upkeep left it (`source` has its own). Raises NotFound,
        Ambiguous."""
        return self._shown([self._find(pointer, ids)])[0]

    def expand(self, pointer: str, **ids: Unpack[ScopeIds]) -> Expansion:
        """A card with the exact events it was made of. Raises NotFound, Ambiguous."""
        card = self._find(pointer, ids)
        return Expansion(card, tuple(self._store.spans(card.id)))

    def event_times(self, pointer: str, **ids: Unpack[ScopeIds]) -> tuple[EventTime, ...]:
        """The times that a card speaks of ("last Wednesday"), resolved against when it was said. Raises NotFound, Ambiguous."""
        card = self._find(pointer, ids)
        return tuple(_event_time(span, card) for span in find(card.text, datetime.fromisoformat(card.at)))

    def resolve(self, text: str, **ids: Unpack[ScopeIds]) -> Resolution:
        """Look up every pointer in a text. The text stays as it is; what nothing answers to is listed in `unknown`."""
        if not isinstance(text, str):
            raise InvalidInput(f"text must be a string, not {type(text).__name__}")
        cards: dict[str, Card] = {}
        unknown = []
        for name in pointers_in(text):
            try:
                found = [card for card, alive in self._candidates(name, optional_scope(ids)) if alive]
                cards.update((name, card) for card in self._shown(found))
            except (Ambiguous, InvalidInput):
                cards.pop(name, None)
            if name not in cards:
                unknown.append(name)
        return Resolution(text, cards, tuple(unknown))

    def list(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        order: Literal["time", "added"] = "time",
        limit: int = 100,
        cursor: str | None = None,
        **ids: Unpack[ScopeIds],
    ) -> Page:
        """Cards of the scope, oldest first, by when they were said or when they were added; a page at a time.

        `cursor` of one page gives the next; it neither skips nor repeats while others write. With `session`, only its cards.
        """
        scope = scope_of({**scope_ids(filters), **ids})
        checked_limit(limit)
        matches = told_in(scope.session, filters) if filters is not None else None
        if order not in ("time", "added"):
            raise InvalidInput(f"order must be 'time' or 'added', not {shown(order)}")
        after = _parse_cursor(cursor, order)
        found: list[Card] = []
        while True:
            cards = self._store.cards_after(scope, "time" if order == "time" else "birth", after, max(limit, 100))
            for card in self._shown(cards):
                after = (micros(card.at), card.born)
                if matches is None or matches(card):
                    found.append(card)
                if len(found) == limit:
                    return Page(found, cursor=_cursor(after, order))
            if len(cards) < max(limit, 100):
                return Page(found)

    def messages(self, *, limit: int | None = None, **ids: Unpack[ScopeIds]) -> Events:
        """The events of a session in order, exact texts, the last `limit` of them. Without `session`, of the whole scope."""
        scope = scope_of(ids)
        if limit is not None:
            checked_limit(limit)
        if scope.session is not None:
            return self._store.session_events(scope, limit)
        events = [event for event in self._store.all_events(scope) if event.kind != "edit"]
        return events[-limit:] if limit else events

    def history(self, pointer: str, **ids: Unpack[ScopeIds]) -> Changes:
        """Every change of a card, oldest first, with what was done, by whom, when and why; also of a deleted one.

        Of a forgotten card, by its id, that it was forgotten and when, and not a word. Raises NotFound, Ambiguous.
        """
        scope = optional_scope(ids)
        found = self._candidates(pointer, scope)
        if not found:
            gone = self._store.forgotten(pointer_name(pointer))
            if gone is not None and sees(scope, gone[0]):
                return [Change("FORGET", 1, gone[1], None, None, "forgotten", HAND)]
            raise self._unknown(pointer, scope, "was ever")
        id_ = found[0][0].id
        made = [*self._store.marks_of([id_]).get(id_, ()), *self._store.refinements_of(id_)]
        marks = deque(sorted(made, key=lambda one: one.at))
        changes: list[Change] = []
        said = ""
        for card, op, reason in self._store.versions(id_):
            while marks and changes and iso(marks[0].at) < card.updated_at:
                changes.append(_marked(marks.popleft(), changes[-1], said))
            said = card.text
            new = None if op == "delete" else card.text
            maker = HAND if card.made_by == HAND else who(card)
            old = changes[-1].new if changes else None
            changes.append(Change(_EVENTS[op], card.version, card.updated_at, old, new, reason, maker))
        for mark in marks:
            changes.append(_marked(mark, changes[-1], said))
        return changes

    def stats(self, **ids: Unpack[ScopeIds]) -> Stats:
        """Figures of the scope, all its sessions together; without a scope, of the whole file.

        `bytes` of a scope are those of its own texts (events and every version of its cards, UTF-8); of the whole, the file's.
        """
        self._uses.flush()
        figures = self._store.figures(optional_scope(ids))
        recalls, shown = figures["recalls"] or 0, figures["shown"] or 0
        embedder = self._embedding.embedder
        return Stats(
            events=int(figures["events"] or 0),
            cards=int(figures["cards"] or 0),
            pending=int(figures["pending"] or 0) if embedder else 0,
            sessions=int(figures["sessions"] or 0),
            tokens=int(figures["tokens"] or 0),
            recalls=int(recalls),
            hit_rate=(figures["hits"] or 0) / recalls if recalls else None,
            use_rate=(figures["used"] or 0) / shown if shown else None,
            context_tokens_mean=figures["mean"],
            tokens_saved=int(figures["saved"] or 0),
            feedback=int(figures["outcomes"] or 0),
            embedder=embedder.name if embedder else "none",
            bytes=int(figures["bytes"] or 0),
        )

    def scopes(self) -> Scopes:
        """Every owner in the file: tenant, user, agent."""
        return self._store.scopes()

    def verify(self, *, repair: bool = False, progress: Progress | None = None) -> Verification:
        """Check every index against the cards and the cards against the events; with `repair`, rebuild what is derived.

        Bytes of what was erased that are still in the file are a problem too; a repair takes them out unless another process reads.
        """
        if repair:
            with contextlib.suppress(StoreBusy):  # it stays a problem
                self._store.scrub()
        with self._in_flight():
            return verify(self._store, self._ledger, repair=repair, progress=progress)

    def reindex(self, *, dry_run: bool = False, progress: Progress | None = None) -> int:
        """Rebuild the keyword index and embed every card anew with this memory's embedder; return how many cards.

        `dry_run` only counts. `progress(done, total)` counts both passes. Raises EmbedderFailed, with what is left, where the
        embedder stops: the keyword index is whole then, and `embed_pending` goes on with the vectors.
        """
        if dry_run:
            return int(self._store.figures(None)["cards"] or 0)
        count = reindex_words(self._ledger, progress)
        embedder = self._embedding.embedder
        if embedder is not None:
            with self._store.write():
                self._store.clear_vectors()
                self._store.add_embedder(embedder.name, embedder.version, embedder.dimension)
        self._embedding.run(None, None, progress)
        return count


def _marked(mark: Mark | Refinement, before: Change, said: str) -> Change:
    """A pin or a move, after which the words are as before; or a refinement, after which others are shown than were `said`."""
    if isinstance(mark, Refinement):
        undone = mark.op == "undo"
        why = mark.why if undone else f"{mark.op}: {mark.why} (change {mark.change})"
        new = said if undone else mark.text
        return Change(
            "UNREFINE" if undone else "REFINE", before.version, iso(mark.at), before.new, new, why, mark.made_by
        )
    event: MarkEvent = _MARKS.get(mark.mark, "MOVE")
    why = f"to {mark.mark}: {mark.why}" if event == "MOVE" else mark.why
    return Change(event, before.version, iso(mark.at), before.new, before.new, why, mark.who)


def _cursor(after: tuple[int, int], order: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([order, *after]).encode()).decode()


def _parse_cursor(cursor: object, order: str) -> tuple[int, int]:
    if cursor is None:
        return (-(2**62), 0) if order == "time" else (0, 0)
    try:
        kind, at, born = json.loads(base64.urlsafe_b64decode(str(cursor)))
        if kind != order:
            raise ValueError
        if max(abs(int(at)), abs(int(born))) >= 2**63:
            raise ValueError
        return int(at), int(born)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"cursor {shown(cursor)} is not one of a page in this order") from None


def _event_time(span: TimeSpan, card: Card) -> EventTime:
    zone = datetime.fromisoformat(card.at).tzinfo
    start, last = (local(moment, zone) for moment in (span.start, span.end - timedelta(microseconds=1)))
    shape = {"year": "%Y", "month": "%Y-%m"}.get(
        span.grain, "%Y-%m-%d" if start.time() == time.min else "%Y-%m-%dT%H:%M"
    )
    return EventTime(span.text, start.strftime(shape), last.strftime(shape), span.grain)
