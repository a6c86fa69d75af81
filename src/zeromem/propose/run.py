"""Shows messages to a chat model in small batches and stores what it proposes of them: a run of upkeep.

In: a store, a model, scopes. Out: a `Proposed`, and in the store cards of kind "fact", the quarantine, and which messages were read by
which prompt and model, so that a run goes on where the last one stopped. A batch is stored in one transaction, after the model has
answered. What fails is tried again: a batch that the model makes nothing of is halved, down to one message, which is left after
`_PATIENCE` runs; a dead endpoint or a spent budget ends the run. Nothing that was said is touched by any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from zeromem.clock import iso
from zeromem.encode.cards import Draft, printable
from zeromem.encode.digests import digest
from zeromem.encode.masking import masked
from zeromem.errors import BudgetSpent, ChatFailed, ChatRefused, ZeromemError
from zeromem.ids import new_id
from zeromem.ledger import Ledger, Origin
from zeromem.plural import counted
from zeromem.ports import Chat
from zeromem.prompts import Prompt, prompt
from zeromem.proposals import MODEL, Proposed, Quarantined
from zeromem.propose.grounding import Source, Spans, alike, copied, grounded
from zeromem.propose.reading import Candidate, Read, read
from zeromem.replies import Messages, Reply, Schema, Spent
from zeromem.text.redact import Level
from zeromem.text.render import escape, label
from zeromem.text.words import fold
from zeromem.types import Card, Event, ReceiptItem, Scope, Span, Status

_MESSAGES, _CHARACTERS = 12, 6000  # of a batch: a small model still sees all of it
_ANSWER, _EACH = 256, 96  # tokens of an answer, and more for each message
_PATIENCE = 3  # runs in which a message is tried, and unreadable answers in a row from which a model is given up
_PAGE = 200
_SHOWN = 80  # characters of a text in an item
_LONGEST = 500  # characters of a proposal: one statement is shorter


@dataclass(frozen=True, slots=True)
class Unit:
    """A card of a message, as it is shown to the model; `tries` is how often reading its message failed."""

    event: Event
    card: Card
    tries: int

    @property
    def source(self) -> Source:
        return Source(self.card.text, self.card.role, self.card.speaker, self.card.at)


class Unreadable(Exception):
    """The model made nothing of a batch; the words say why. Never leaves this module."""


@dataclass(slots=True)
class Run:
    """One run. `near` finds current cards that may say the same as a text, `moment` is the time of a change."""

    ledger: Ledger
    chat: Chat
    redact: Level
    moment: Callable[[], int]
    guard: Callable[[], AbstractContextManager[None]]
    near: Callable[[str, Scope], Sequence[Card]]
    items: list[ReceiptItem] = field(default_factory=list)
    warnings: dict[str, None] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    read: int = 0
    todo: dict[str, set[str]] = field(
        default_factory=dict
    )  # by event the ids of its cards that were not read in this run
    stopped: bool = False
    troubled: bool = False
    unreadable: int = 0  # answers in a row

    @property
    def prompt(self) -> Prompt:
        return prompt("facts")

    @property
    def made_by(self) -> str:
        return self.prompt.made_by(self.chat.model)

    def over(self, scopes: Sequence[Scope]) -> Proposed:
        """Read what is unread of these scopes."""
        for scope in scopes:
            for batch in batches(list(self._units(scope))):
                if self.stopped:
                    break
                self._take(batch)
        waiting = sum(1 for scope in scopes for _ in self._unread(scope))
        facts = sum(item.status == "stored" for item in self.items)
        return Proposed(
            self.read, tuple(self.items), self.spent, waiting, "" if facts else self._nothing(), tuple(self.warnings),
        )  # fmt: skip

    def _nothing(self) -> str:
        if self.stopped or self.troubled:
            return "the model could not be asked, or its answers could not be read"
        if not self.read:
            return "no message was new to the model"
        if self.items:
            return f"of {counted(len(self.items), 'proposal')} none was new and stood in what was said"
        return f"the model found nothing worth keeping in {counted(self.read, 'message')}"

    def _unread(self, scope: Scope) -> Iterator[tuple[Event, int]]:
        after = 0
        while page := self.ledger.store.unread(scope, self.made_by, after, _PAGE):
            for _, event, tries in page:
                yield event, tries
            after = page[-1][0]

    def _units(self, scope: Scope) -> Iterator[Unit]:
        """What is unread, word for word the same once; what failed before comes last, so that it holds nothing up."""
        seen: set[str] = set()
        self.todo = {}
        for event, tries in sorted(self._unread(scope), key=lambda one: one[1] > 0):
            cards = [card for card in self.ledger.store.cards_of(event.id) if MODEL not in card.made_by]
            self.todo[event.id] = {card.id for card in cards}
            yield from (Unit(event, card, tries) for card in cards if card.id not in seen)
            seen |= self.todo[event.id]

    def _take(self, batch: Sequence[Unit]) -> None:
        """Ask about a batch and store what comes of it; halve it where the model makes nothing of it."""
        try:
            answer = self._ask(batch)
        except (ChatRefused, Unreadable) as error:
            self.unreadable += isinstance(error, Unreadable)
            if self.unreadable >= _PATIENCE:
                self.stopped = True
                self.warnings[f"{self.chat.model} gives no answers that can be read ({error}); another model may"] = (
                    None
                )
            if len(batch) > 1 and not self.stopped:
                half = len(batch) // 2
                self._take(batch[:half])
                return self._take(batch[half:]) if not self.stopped else self._fail(batch[half:], "")
            return self._fail(batch, str(error))
        except (ChatFailed, BudgetSpent) as error:
            self.stopped = True
            self.warnings[f"{error}; what was not read is tried again next time"] = None
            # A message that is too much for a model which is there for others is the message's fault.
            why = str(error) if self.read and len(batch) == 1 else ""
            return self._fail(batch, why) if isinstance(error, ChatFailed) else None
        self.unreadable = 0
        if answer.cut and len(batch) > 1:
            half = len(batch) // 2
            self._take(batch[:half])
            return None if self.stopped else self._take(batch[half:])
        self.warnings |= dict.fromkeys(answer.warnings)
        return self._store(batch, answer.candidates)

    def _ask(self, batch: Sequence[Unit]) -> Read:
        """The candidates of a batch, with one round of repair. Raises Unreadable, and what the model raises."""
        schema, most = self.prompt.schema or {}, _ANSWER + _EACH * len(batch)
        shown = "\n".join(_shown(number, unit) for number, unit in enumerate(batch, 1))
        messages = list(self.prompt.render(messages=shown))
        reply = self._said(messages, schema, most)
        found = read(reply, schema)
        if not found.error:
            return found
        again = [
            {"role": "assistant", "content": reply.text[:_CHARACTERS]},
            *prompt("repair").render(error=found.error),
        ]
        found = read(self._said([*messages, *again], schema, most), schema)
        if found.error:
            raise Unreadable(found.error)
        return found

    def _said(self, messages: Messages, schema: Schema, most: int) -> Reply:
        """One answer, its cost counted."""
        try:
            reply = self.chat.chat(messages, schema=schema, most=most)
        except ZeromemError:
            raise
        except Exception as error:  # of a chat of somebody's own; what it says may hold a key
            raise ChatFailed(f"{self.chat.model} raised {type(error).__name__}; a chat raises ChatFailed") from None
        self.spent += reply.spent
        return reply

    def _fail(self, batch: Sequence[Unit], why: str) -> None:
        """Note that these messages were not read; `why` where it is their own fault, so that they are not tried for ever."""
        tries = {unit.event.id: unit.tries for unit in batch}
        left = [id_ for id_, before in tries.items() if why and before + 1 >= _PATIENCE]
        with self.guard(), self.ledger.store.write():
            now = self.moment()
            self.ledger.store.read_by(self.made_by, [id_ for id_ in tries if id_ not in left], "failed", now)
            self.ledger.store.read_by(self.made_by, left, "left", now)
        self.troubled = True
        if why:
            then = "is not tried again" if left else "is tried again next time"
            self.warnings[
                f"{counted(len(tries), 'message')} could not be read ({why}); it stays as it was said, and {then}"
            ] = None

    def _store(self, batch: Sequence[Unit], candidates: Sequence[Candidate]) -> None:
        texts = [masked(printable(candidate.text), self.redact)[0] for candidate in candidates]
        owner = batch[0].card.scope.without_session()
        near = {text: self.near(text, owner) for text in texts if text.strip() and len(text) <= _LONGEST}
        with self.guard(), self.ledger.store.write():
            now, store = self.moment(), self.ledger.store
            there = [unit for unit in batch if (newest := store.card(unit.card.id)) and newest[0].row == unit.card.row]
            known = {fold(entry.text) for entry in store.quarantined(owner)} if texts else set()
            added: list[Card] = []
            for candidate, text in zip(candidates, texts, strict=True):
                named = self._named(candidate, batch, there)
                item, card = self._judged(text, named, there, [*near.get(text, ()), *added], known, now)
                self.items.append(item)
                added += [card] if card else []
            events = self._done(batch)
            store.read_by(self.made_by, events, "read", now)
        self.read += len(events)

    def _done(self, batch: Sequence[Unit]) -> list[str]:
        """Ids of the events that are read whole with this batch, also those that only say its words again."""
        told = {unit.card.id for unit in batch}
        done = [id_ for id_, left in self.todo.items() if left and left <= told]
        self.todo = {id_: left - told for id_, left in self.todo.items() if id_ not in done}
        return done

    def _named(self, candidate: Candidate, batch: Sequence[Unit], there: Sequence[Unit]) -> Unit | None:
        """The message that a candidate says it is from."""
        if candidate.source is not None and not 1 <= candidate.source <= len(batch):
            self.warnings[f"the model names message {candidate.source}, of {len(batch)}; all of them are looked at"] = (
                None
            )
            return None
        told = batch[candidate.source - 1] if candidate.source is not None else batch[0] if len(batch) == 1 else None
        return told if told in there else None

    def _judged(
        self, text: str, named: Unit | None, units: Sequence[Unit], near: Sequence[Card], known: set[str], now: int
    ) -> tuple[ReceiptItem, Card | None]:
        """What becomes of a proposal, and its card where it gets one."""
        if not text.strip() or len(text) > _LONGEST or not units:
            return _item("ignored", "it is blank, longer than a statement, or its source is gone", text), None
        order = sorted(units, key=lambda unit: (unit.card.role == "assistant", unit is not named))
        why = ""
        for unit in order:
            spans, reason = grounded(text, unit.source)
            if spans and unit.card.role == "assistant":
                why = "ungrounded: only the assistant says so"
            elif spans:
                return self._stored(text, unit, spans, near, now)
            elif unit is named or not why:
                why = reason
        if copied(text, self.prompt.examples):
            return _item("ignored", "it is an example of the prompt, and nobody said it", text), None
        if not why.startswith("ungrounded"):
            return _item("ignored", why, text), None
        if fold(text) in known:
            return _item("duplicate", "in the quarantine already", text), None
        known.add(fold(text))
        unit, events = named or order[0], tuple(dict.fromkeys(unit.event.id for unit in units))
        source = named.event.id if named else None
        entry = Quarantined(new_id("q", now + len(self.items)), unit.card.scope, text, why, self.made_by, iso(now), unit.card.role,
                            unit.card.speaker, source, events)  # fmt: skip
        self.ledger.store.quarantine(entry)
        return _item("quarantined", why, text, unit.event), None

    def _stored(
        self, text: str, unit: Unit, spans: Spans, near: Sequence[Card], now: int
    ) -> tuple[ReceiptItem, Card | None]:
        """A grounded proposal as a card, unless it says no more than a card that there is, or was deleted by hand."""
        store, card = self.ledger.store, unit.card
        places = _places(unit, spans, store.spans(card.id))
        draft = Draft("fact", card.role, card.speaker, text, tuple((0, *place) for place in places))
        key = digest(draft.kind, draft.role, draft.speaker, text)
        for other in (card, *store.same([key], card.scope).values(), *near):
            if alike(text, other.text) and (other.speaker or other.role) == (card.speaker or card.role):
                if MODEL in other.made_by:
                    self.ledger.link(other.id, draft, {0: unit.event})
                return _item("duplicate", f"says no more than [m:{other.pointer}]", text, unit.event, other), None
        if key in store.deleted_hashes([unit.event.id]) and key not in store.withdrawn([key], card.scope):
            return _item("ignored", "it was deleted by hand", text, unit.event), None
        origin = Origin(card.scope, now, card.source_id, card.metadata, self.made_by)
        made = self.ledger.add(draft, key, origin, card.at, {0: unit.event})
        return _item("stored", f"stands in [m:{card.pointer}]", text, unit.event, made), made


def batches(units: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    """Units that are shown together: of one session, few and short; what failed before by itself."""
    batch: list[Unit] = []
    for unit in units:
        size = sum(len(one.card.text) for one in batch) + len(unit.card.text)
        together = (
            batch and batch[-1].event.scope.session == unit.event.scope.session and not batch[-1].tries + unit.tries
        )
        if batch and not (together and len(batch) < _MESSAGES and size <= _CHARACTERS):
            yield batch
            batch = []
        batch.append(unit)
    if batch:
        yield batch


def _shown(number: int, unit: Unit) -> str:
    speaker = f" ({label(unit.card.speaker)})" if unit.card.speaker else ""
    return f"[{number}] {unit.card.role}{speaker}: {escape(unit.card.text)}"


def _places(unit: Unit, spans: Spans, told: Sequence[Span]) -> Spans:
    """Where in the event the spans of a card's text lie; the card's whole part where its text is not the event's own."""
    mine = [(span.start, span.end) for span in told if span.event.id == unit.event.id]
    start, end = mine[0] if mine else (0, len(unit.event.text))
    if unit.event.text[start:end] != unit.card.text:
        return ((start, end),)
    return tuple((start + first, start + last) for first, last in spans)


def _item(status: Status, reason: str, text: str, event: Event | None = None, card: Card | None = None) -> ReceiptItem:
    id_, pointer = (card.id, card.pointer) if card else (None, None)
    return ReceiptItem(status, reason, event.id if event else None, id_, pointer, text[:_SHOWN])
