"""The verbs of upkeep: maintain, standing, pin, retain, retentions, close_session.

In: a scope, a pointer. Out: what was moved, how a memory stands, receipts. Upkeep never changes what a memory says: it embeds what is
pending, moves memories between the tiers, and ends those whose time the owner said is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Unpack

import numpy as np

from zeromem.answer import AnswerVerbs
from zeromem.asking import time_of
from zeromem.checks import checked_storage, checked_text, shown
from zeromem.clock import micros
from zeromem.encode.cards import printable
from zeromem.encode.masking import masked, told
from zeromem.errors import EmbedderFailed, EmbedderMismatch, InvalidInput
from zeromem.forget import ForgetVerbs
from zeromem.intake import by_hand, ended
from zeromem.ledger import HAND, is_derived
from zeromem.maintain.refine import How, refine
from zeromem.maintain.summaries import summaries
from zeromem.maintain.tiers import Held, Standing, judged, move, standing
from zeromem.policy import DAY, Limits
from zeromem.ports import Mark, Progress, Retention, is_pinned
from zeromem.proposals import Proposed
from zeromem.recall.state import OUTDATED
from zeromem.refinements import Refined
from zeromem.scoping import optional_scope, scope_of, sees, unmasked
from zeromem.types import Card, Receipt, ReceiptItem, Scope, ScopeIds, Status

When = str | int | float | datetime | None
Action = Literal["archive", "delete", "forget"]
_CHUNK = 500
_LONGEST = 36_525  # days: a hundred years
_ACTIONS: tuple[Action, ...] = ("archive", "delete", "forget")
_CLOSED = "its session was closed"
_NOTHING = Held()


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What `maintain` did: cards embedded, moved by tier, and ended by retentions (by what became of them), summaries of sessions made and
    renewed; `refined`: what became of each scope's texts; `proposed`: what a chat model proposed, where one is set; `warnings` says what could
    not be done."""

    scopes: int = 0
    embedded: int = 0
    moved: Mapping[str, int] = field(default_factory=dict)
    ended: Mapping[str, int] = field(default_factory=dict)
    summaries: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    refined: tuple[Refined, ...] = ()
    proposed: Proposed = field(default_factory=Proposed)

    @property
    def items(self) -> tuple[ReceiptItem, ...]:
        """What became of each memory that the model proposed."""
        return self.proposed.items

    @property
    def facts(self) -> int:
        """How many of them were stored."""
        return self.proposed.count("stored")

    @property
    def reason(self) -> str:
        """Why none was, where none was."""
        return self.proposed.reason


class UpkeepVerbs(ForgetVerbs, AnswerVerbs):
    """Keeping house."""

    def maintain(
        self,
        *,
        at: When = None,
        storage: float | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **ids: Unpack[ScopeIds],
    ) -> Upkeep:
        """Embed what is pending, move memories between the tiers, end what a retention says, and sum up the sessions that have come to rest
        (`Settings.summaries`); of the scope, or of the whole file. With a chat model set, show it the messages that it has not read, and store
        what it proposes and they support.

        `storage` is the room of each scope: characters of all texts that search can show, or below 1 the share of what was said (default
        `Settings.storage`; 0: no end). Over it, memories that say one thing are joined, texts shortened, and the weakest put to rest, each
        checked against its source, which stays: `Upkeep.refined`, `undo(change=…)`. `dry_run` only proposes that.

        Safe to run at any time and again: it goes on where it was cut short. `at` is the moment that counts as now. `progress(done, total)`
        counts cards. Raises InvalidInput, StoreError, StoreFull, StoreBusy.
        """
        scope = optional_scope(ids)
        now = self._clock() if at is None else micros(time_of(at, "at"))
        room = checked_storage(self._settings.storage if storage is None else storage)
        self._uses.flush()
        if dry_run:
            mine = [one for one in self._store.scopes() if scope is None or sees(scope, one)]
            return Upkeep(
                len(mine), refined=tuple(self._refined(one, now, room, progress, dry_run=True) for one in mine)
            )
        mine = [one for one in self._store.scopes() if scope is None or sees(scope, one)]
        rules = self._store.retentions()
        moved, over, summed = Counter[str](), Counter[str](), Counter[str]()
        refined: list[Refined] = []
        for one in mine:
            with self._in_flight():
                moved += move(self._store, self._routes(), self._held(one), self._limits(), now, progress)
            for rule in rules:
                if _covers(rule.scope, one):
                    over[rule.action] += self._end(rule, one, now)
            if self._settings.summaries:
                summed += summaries(self._ledger, one, now, progress)
            refined.append(self._refined(one, now, room, progress))
        proposed = self._proposed([replace(one, session=scope.session if scope else None) for one in mine])
        embedded, warnings = self._embedded(scope, progress)
        told = (*self._embedding.degraded(), *warnings, *proposed.warnings)
        return Upkeep(len(mine), embedded, dict(+moved), dict(+over), dict(+summed), told, tuple(refined), proposed)

    def _refined(
        self, scope: Scope, now: int, room: float, progress: Progress | None, *, dry_run: bool = False
    ) -> Refined:
        said, shown = self._store.storage(scope)
        budget = int(room * said) if room < 1 else int(room)
        if not room or shown <= budget:
            return Refined(said, shown, shown, budget)
        held = self._held(scope)

        def strengths(cards: Sequence[Card]) -> list[float]:
            return [one.weight.strength for one in judged(self._store, cards, self._routes(), held, now)]

        how = How(self._settings.raw_turns, strengths, self._pause, dry_run)
        return refine(self._ledger, scope, now, budget, how, progress)

    def standing(self, pointer: str, *, at: When = None, **ids: Unpack[ScopeIds]) -> Standing:
        """How a memory stands now (or at a moment): kind, tier, importance, strength, use, and why. Raises NotFound, Ambiguous."""
        card = self._find(pointer, ids)
        self._uses.flush()
        now = self._clock() if at is None else micros(time_of(at, "at"))
        owner = card.scope.without_session()
        recent = (
            self._store.session_events(card.scope, self._settings.window)
            if card.session is not None and self._settings.window
            else []
        )
        said = {span.event.id for span in self._store.spans(card.id)}
        marks = self._store.marks_of([card.id]).get(card.id, ())
        closed = any(mark.who == HAND and mark.why == _CLOSED for mark in marks)
        working = not closed and not is_derived(card) and any(event.id in said for event in recent)
        return standing(self._store, card, self._routes(), self._held(owner), now, working=working)

    def pin(self, pointer: str, on: bool = True, **ids: Unpack[ScopeIds]) -> Receipt:
        """Pin a memory, or take the pin off: what is pinned does not fade, stays out of the archive, and comes before its equals.

        Raises NotFound, Ambiguous.
        """
        with self._in_flight(), self._store.write():
            card = self._find(pointer, ids)
            marks_so_far = self._store.marks_of([card.id]).get(card.id, ())
            if is_pinned(marks_so_far) == bool(on):
                reason = "pinned already" if on else "not pinned"
                return Receipt((ReceiptItem("duplicate", reason, None, card.id, card.pointer, card.text[:80]),))
            now = max(self._moment(), *(mark.at + 1 for mark in marks_so_far), 0)  # also where the clock stands still
            marks = [Mark(card.id, "pinned" if on else "unpinned", now, "by hand", HAND)]
            if on:
                marks.append(Mark(card.id, "long", now, "pinned", HAND))
            self._store.add_marks(marks)
        reason = "pinned" if on else "no longer pinned"
        return Receipt((ReceiptItem("stored", reason, None, card.id, card.pointer, card.text[:80]),))

    def retain(
        self, kind: str, days: float | None, *, then: Action = "archive", **ids: Unpack[ScopeIds]
    ) -> tuple[Retention, ...]:
        """Keep memories of `kind` (as `standing` names it: "tool", "message", "preference", …; "*" for every kind) for `days` after they were
        last said in this scope; `then` is what `maintain` does with older ones: "archive", "delete" (a tombstone, which `restore` takes
        back) or "forget" (erased for good, with its events).

        Pinned memories stay. `days=None` ends the rule. Returns the rules of the scope. Raises InvalidInput.
        """
        scope = unmasked(optional_scope(ids) or Scope(), self._redact)
        if scope.session is not None:
            raise InvalidInput("a retention holds for a user, agent or tenant, not for a session")
        if not isinstance(kind, str):
            raise InvalidInput(f"kind must be a string, not {type(kind).__name__}")
        known = {"*", *(row.name for row in self._routes())}
        if kind not in known:
            raise InvalidInput(f"there is no kind {shown(kind)}; there are {', '.join(sorted(known))}")
        number = isinstance(days, int | float) and not isinstance(days, bool)
        if days is not None and not (number and 0 <= days <= _LONGEST):
            raise InvalidInput(f"days must be from 0 to {_LONGEST:,}, or None to end the rule, not {shown(days)}")
        if then not in _ACTIONS:
            raise InvalidInput(f"then must be one of {', '.join(_ACTIONS)}, not {shown(then)}")
        with self._in_flight(), self._store.write():
            self._store.set_retention(scope, kind, None if days is None else float(days), then)
        return self.retentions(**ids)

    def retentions(self, **ids: Unpack[ScopeIds]) -> tuple[Retention, ...]:
        """The retentions that hold for a scope: its own, and those of wider scopes; without ids, all of the file."""
        scope = optional_scope(ids)
        return tuple(rule for rule in self._store.retentions() if scope is None or _covers(rule.scope, scope))

    def close_session(self, save: Sequence[str] = (), **ids: Unpack[ScopeIds]) -> Receipt:
        """End a session: its last turns leave the working tier, the key points in `save` become notes, which do not fade, and it is summed
        up.

        `memory.scope(user="ana", session="s1").close(save=["She took the flat in Bath"])` is the same. Raises InvalidInput without a
        session, or for a blank point.
        """
        scope = unmasked(scope_of(ids), self._redact)
        if scope.session is None:
            raise InvalidInput("name the session that ends: session=")
        if isinstance(save, str) or not isinstance(save, Iterable):
            raise InvalidInput(f"save must be a list of strings, not {shown(save)}")
        points = [masked(printable(checked_text(point, "a point of save").strip()), self._redact) for point in save]
        now = self._clock()
        with self._in_flight(), self._store.write():
            noted = [self._note(text, kinds, scope, now) for text, kinds in points]
            items = [item for item, _ in noted]
            items += ended(self._ledger, [card for item, card in noted if item.status == "stored"])
            self._leave_working(scope, now)
        if self._settings.summaries:
            summaries(self._ledger, scope.without_session(), now, session=scope.session)
        self._wake()
        return Receipt(tuple(items), self._embedding.degraded())

    def _note(self, text: str, kinds: tuple[str, ...], scope: Scope, now: int) -> tuple[ReceiptItem, Card]:
        event, card, known = by_hand(self._ledger, "note", text, scope, now, now)
        reason = "; ".join(
            filter(None, (f"already known as [m:{card.pointer}]" if known else "key point", told(kinds)))
        )
        status: Status = "duplicate" if known else "stored"
        return ReceiptItem(status, reason, event.id, card.id, card.pointer, text[:80], kinds), card

    def _leave_working(self, scope: Scope, now: int) -> None:
        events = self._store.session_events(scope, max(1, self._settings.window))
        cards = {card.id: card for event in events for card in self._store.cards_of(event.id)}
        for one in judged(self._store, list(cards.values()), self._routes(), _NOTHING, now):
            if one.tier != "archive" and one.tier != "working":
                self._store.add_marks([Mark(one.card.id, one.tier, now, _CLOSED, HAND)])

    def _limits(self) -> Limits:
        return Limits(self._settings.short_days, self._settings.short_cards)

    def _held(self, scope: Scope) -> Held:
        """What the facts of a scope say of its cards as a whole."""
        snapshot = self._snapshots.get(scope, self._sources().space())
        rows = snapshot.columns.rows[np.flatnonzero(snapshot.outdated >= OUTDATED)]
        book = snapshot.facts
        enders = {held.by for held in book.held.values() if held.standing == "superseded"}
        surprising = {row for row, some in book.rows.items() if any(fact.id in enders for fact in some)}
        columns, living = snapshot.columns, np.flatnonzero(snapshot.alive)
        newest = living[np.lexsort((columns.born[living], columns.at[living]))[::-1]]
        return Held(frozenset(rows.tolist()), frozenset(surprising), tuple(columns.rows[newest].tolist()))

    def _embedded(self, scope: Scope | None, progress: Progress | None) -> tuple[int, tuple[str, ...]]:
        if self._embedding.embedder is None or self._embedding.mismatch():
            return 0, ()
        try:
            return self._embedding.run(scope, None, progress), ()
        except (EmbedderFailed, EmbedderMismatch) as error:
            return 0, (str(error),)

    def _end(self, rule: Retention, scope: Scope, now: int) -> int:
        """Do with the memories of a scope what a retention says; how many it was done to."""
        before, over = now - int(rule.days * DAY), list[Card]()
        after = (-(2**62), 0)
        while cards := self._store.cards_after(scope, "time", after, _CHUNK):
            after = (micros(cards[-1].at), cards[-1].born)
            over += self._of_kind(rule, [card for card in cards if micros(card.at) < before], before, now)
            if after[0] >= before:
                break
        if rule.action == "forget":
            return self._erased(lambda: ([], self._forgettable(rule, over, before, now))).cards if over else 0
        moment, done = None, 0
        for first in range(0, len(over), _CHUNK):
            with self._in_flight(), self._store.write():
                moment = moment or self._moment()  # one for all, so that one undo takes all of it back
                done += self._end_some(rule, self._still(rule, over[first : first + _CHUNK], before, now), moment, now)
        return done

    def _of_kind(self, rule: Retention, cards: Sequence[Card], before: int, now: int) -> list[Card]:
        return [
            one.card
            for one in judged(self._store, cards, self._routes(), _NOTHING, now)
            if not one.pinned
            and one.usage.heard < before
            and rule.kind in ("*", one.row.name)
            and not (rule.action == "archive" and one.tier == "archive")
        ]

    def _still(self, rule: Retention, cards: Sequence[Card], before: int, now: int) -> list[Card]:
        """Those that the rule is still about, asked in the transaction that ends them: somebody may have ended the rule meanwhile, or
        pinned one, said it again, changed or deleted it."""
        if rule not in self._store.retentions():
            return []
        there = [
            card
            for card in cards
            if (found := self._store.card(card.id)) and found[0].row == card.row and found[1] != "delete"
        ]
        return self._of_kind(rule, there, before, now)

    def _end_some(self, rule: Retention, cards: Sequence[Card], moment: int, now: int) -> int:
        why = f"archived after {rule.days:g} days" if rule.action == "archive" else f"kept for {rule.days:g} days"
        if rule.action == "archive":
            self._store.add_marks([Mark(card.id, "archive", now, why, HAND) for card in cards])
        else:
            for card in cards:
                self._ledger.delete(card, moment, why)
        return len(cards)

    def _forgettable(self, rule: Retention, cards: Sequence[Card], before: int, now: int) -> list[str]:
        """Ids of the cards that may be erased with their events: none whose event a pinned card leads to as well."""
        still = [
            card for i in range(0, len(cards), _CHUNK) for card in self._still(rule, cards[i : i + _CHUNK], before, now)
        ]
        return [card.id for card in still if not self._beside_pinned(card)]

    def _beside_pinned(self, card: Card) -> bool:
        events = {span.event.id for span in self._store.spans(card.id)}
        ids = list({other.id for event in events for other in self._store.cards_of(event)})
        return any(map(is_pinned, self._store.marks_of(ids).values()))


def _covers(wide: Scope, narrow: Scope) -> bool:
    """Whether a rule of one scope holds in another: every id that it names is the same there."""
    return sees(wide if wide != Scope() else None, narrow)
