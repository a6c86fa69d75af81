"""The verbs about what is believed: facts, add_fact, clarifications.

In: a subject, a slot, a moment. Out: facts as they stand now, as they stood at a moment (`as_of`), or as we knew them at one (`known_at`).
Nothing is judged twice: the rules of `route.py` are applied to the facts of the moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Unpack

from zeromem.asking import moment_of, time_of
from zeromem.checks import checked_text
from zeromem.clock import instant, iso, micros
from zeromem.core import Core
from zeromem.encode.cards import printable
from zeromem.encode.masking import masked, told
from zeromem.encode.stated import write
from zeromem.errors import InvalidInput
from zeromem.facts import HAND, Clarification, Fact, FactRow, Polarity
from zeromem.intake import by_hand, ended
from zeromem.policy import weigh
from zeromem.ports import Usage
from zeromem.recall.doubts import clarification, doubts
from zeromem.route import Held, about, arrived, grouped, sense, standings, whole
from zeromem.scoping import scope_of, unmasked
from zeromem.structures.facts import confidence, holds
from zeromem.types import Card, Receipt, ReceiptItem, Scope, ScopeIds

When = str | int | float | datetime | None
Telling = tuple[str, str, str, int]  # who, which slot, which value, so or not so


class BeliefVerbs(Core):
    """What is held true of whom, and why."""

    def facts(
        self,
        subject: str | None = None,
        slot: str | None = None,
        *,
        as_of: When = None,
        known_at: When = None,
        include_superseded: bool = False,
        **ids: Unpack[ScopeIds],
    ) -> list[Fact]:
        """What holds of `subject` ("user", a name; None: of everybody) in `slot` (None: in any), in the order it was said.

        `as_of` asks for what was so at that moment, `known_at` for what had been told by then; both may be given. With
        `include_superseded` also what no longer holds, what is only possible, and what was before; `standing` tells them apart.
        Raises InvalidInput for a time that cannot be read.
        """
        scope = scope_of(ids).without_session()
        for name, given in (("subject", subject), ("slot", slot)):
            if given is not None:
                checked_text(given, name)
        moment = self._clock() if as_of is None else moment_of(as_of, "as_of")
        rows = self._believed(scope, None if known_at is None else moment_of(known_at, "known_at"))
        rows = [arrived(row, moment) for row in rows]
        rows = [told for row in rows if (told := row if row.modality == "planned" else row.until(moment)) is not None]
        held: dict[int, Held] = {}
        for some in grouped(rows).values():
            held |= standings(some)
        wanted = [row for row in rows if _matches(row, subject, slot)]
        if not include_superseded:
            wanted = [row for row in wanted if holds(row, held[row.id], moment) or held[row.id].standing == "planned"]
            wanted = [row for row in wanted if row.polarity == "+" or not whole(row)]  # "I quit my job" names no value
        return self._facts(rows, wanted, held)

    def add_fact(
        self,
        subject: str,
        slot: str,
        value: str,
        *,
        polarity: Polarity = "+",
        valid_from: When = None,
        valid_to: When = None,
        **ids: Unpack[ScopeIds],
    ) -> Receipt:
        """Tell a fact by hand: `add_fact("Ana", "job", "lead", valid_from="2026-01-01")`.

        It is a memory like any other (found, deleted, updated in its line `subject · slot: value`), and ends what it contradicts.
        Raises InvalidInput for a blank part, a time that cannot be read, or an end before the beginning.
        """
        scope = unmasked(scope_of(ids), self._redact)
        parts = [
            checked_text(part, name).strip() for part, name in ((subject, "subject"), (slot, "slot"), (value, "value"))
        ]
        if polarity not in ("+", "-"):
            raise InvalidInput(f"polarity must be '+' or '-', not {polarity!r:.40}")
        bounds = [
            None if t is None else time_of(t, name) for t, name in ((valid_from, "valid_from"), (valid_to, "valid_to"))
        ]
        if bounds[0] is not None and bounds[1] is not None and bounds[1] <= bounds[0]:
            raise InvalidInput(f"valid_to {valid_to} does not lie after valid_from {valid_from}")
        stamps = [None if bound is None else iso(micros(bound)) for bound in bounds]
        line = write(*parts, denied=polarity == "-", valid_from=stamps[0], valid_to=stamps[1])
        text, kinds = masked(printable(line), self._redact)
        now = self._clock()
        begin = now if bounds[0] is None else micros(bounds[0])
        with self._in_flight(), self._store.write():
            event, card, known = by_hand(self._ledger, "fact", text, scope, now, begin)
            reason = "; ".join(filter(None, ("known fact" if known else "new fact", told(kinds))))
            item = ReceiptItem(
                "duplicate" if known else "stored", reason, event.id, card.id, card.pointer, text[:80], kinds
            )
            receipt = Receipt((item, *([] if known else ended(self._ledger, [card]))), self._embedding.degraded())
        self._wake()
        return receipt

    def clarifications(self, **ids: Unpack[ScopeIds]) -> list[Clarification]:
        """Contradictions that the rules cannot settle, each as a short question with the memories it is about."""
        scope = scope_of(ids).without_session()
        rows = self._believed(scope, None)
        held = {id_: how for some in grouped(rows).values() for id_, how in standings(some).items()}
        pairs = doubts(rows, held)
        cards = self._store.cards(list({row.row for pair in pairs for row in pair}))
        return [clarification(pair, cards) for pair in pairs if pair[0].row in cards and pair[1].row in cards]

    def _believed(self, scope: Scope, known_at: int | None) -> list[FactRow]:
        """Facts of the cards that stand now, or stood at a moment."""
        if known_at is None:
            book = self._snapshots.get(scope, self._sources().space()).facts
            return [fact for some in book.rows.values() for fact in some]
        rows = self._store.known_rows(scope, known_at)
        return self._store.facts_of_rows(rows, known_at)

    def _facts(self, rows: Sequence[FactRow], wanted: Sequence[FactRow], held: dict[int, Held]) -> list[Fact]:
        by_id = {row.id: row for row in rows}
        enders = {row.id: by_id[by] for row in wanted if (by := held[row.id].by) is not None and by in by_id}
        alike: dict[Telling, set[FactRow]] = {_telling(row): set() for row in wanted}
        for row in rows:
            alike.get(_telling(row), set()).add(row)
        cards = self._store.cards(list({row.row for row in (*wanted, *enders.values(), *chain(*alike.values()))}))
        times = self._times(alike, cards)
        out = []
        for row in sorted(wanted, key=lambda row: (row.at, row.id)):
            if row.row not in cards:  # forgotten meanwhile
                continue
            card, how = cards[row.row], held[row.id]
            ender = enders.get(row.id)
            by_hand = any(other.made_by == HAND for other in alike[_telling(row)])
            out.append(Fact(
                row.subject, row.slot, row.value, row.polarity, row.modality, how.standing, card.speaker or card.role, card.at,
                card.updated_at, row.when, _stamp(_begun(row, how), card.at), _stamp(_end(row, how), card.at),
                confidence(row, how.standing, times[_telling(row)], by_hand=by_hand), card.pointer, card.id,
                card.text[row.start : row.end], cards[ender.row].pointer if ender and ender.row in cards and how.standing == "superseded" else None,
                row.made_by, self._importance(row, card, times[_telling(row)]), (row.start, row.end),
            ))  # fmt: skip
        return out

    def _importance(self, row: FactRow, card: Card, times: int) -> float:
        weight, _ = weigh(card, [row], self._routes(), Usage(said=max(1, times)), row.at)
        return weight.importance

    def _times(self, alike: Mapping[Telling, Iterable[FactRow]], cards: Mapping[int, Card]) -> dict[Telling, int]:
        """How often each fact was told, in different events, or confirmed: a recall that showed it turned out well."""
        ids = list({card.id for card in cards.values()})
        told: dict[str, set[str]] = {}
        for id_, event, _ in self._store.said_in(ids):
            told.setdefault(id_, set()).add(event)
        confirmed = self._store.confirmed(ids)
        out = {}
        for telling, rows in alike.items():
            some = {cards[row.row].id: cards[row.row].version for row in rows if row.row in cards}
            events = set().union(*(told.get(id_, {id_}) for id_ in some))
            out[telling] = max(1, len(events)) + sum(confirmed.get(pair, 0) for pair in some.items())
        return out


def _matches(row: FactRow, subject: str | None, slot: str | None) -> bool:
    """Also the facts whose value is the subject: "Ana manages Ben" is a fact of Ben."""
    if subject is not None and row.about != about(subject) and row.sense != sense(subject):
        return False
    return slot is None or row.slot == slot


def _telling(row: FactRow) -> Telling:
    return row.about, row.slot, row.sense, row.sign


def _stamp(moment: int | None, said: str) -> str | None:
    """A moment at the offset of what was said, for "in June" began at midnight there."""
    return None if moment is None else iso(moment, instant(said)[1])


def _begun(row: FactRow, how: Held) -> int | None:
    """When a fact began to hold, as far as is known: what is asserted, when it was said at the latest; what had ended, when it was told
    again."""
    if how.since is not None and row.modality == "asserted":
        return how.since
    known = row.modality == "asserted" and row.begin in (row.at, row.valid_from)
    return row.begin if known else row.valid_from


def _end(row: FactRow, how: Held) -> int | None:
    """When a fact ceased to hold: as it was told, else when what ended it was."""
    if row.valid_to is not None and row.made_by == HAND:
        return row.valid_to
    if how.standing == "superseded":
        return how.until
    return row.valid_to if row.modality == "temporary" else None
