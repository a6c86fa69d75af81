"""Writes cards so that row, keyword index, links, pointer and vector always agree: one function for each kind of change.

In: drafts and cards. Out: stored versions. Every function runs inside the caller's `store.write()`, which makes the change
whole or not at all. Decides nothing: whether a text is new, the same, or to be deleted is decided before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from zeromem.clock import iso, micros
from zeromem.encode.cards import Draft
from zeromem.encode.digests import digest
from zeromem.encode.pointers import stems
from zeromem.encode.stated import stated
from zeromem.facts import FactRow
from zeromem.following import follows
from zeromem.ids import new_id
from zeromem.ports import Mark, Op, Store, archived
from zeromem.proposals import MODEL
from zeromem.route import Held, changed, grouped, named, partial, settle, standings
from zeromem.structures.linear import QUESTION
from zeromem.text.render import SHORTENED, heading, line, part_line
from zeromem.text.segment import sentences
from zeromem.text.tokens import Counter
from zeromem.text.words import hashes, terms
from zeromem.types import Card, Event, Metadata, Parts, Scope

HAND = "hand"  # who made a version that a caller asked for
UPKEEP = "upkeep"  # or that follows from another change
_LONG = 96  # tokens; a longer card can be shown by single sentences


@dataclass(frozen=True, slots=True)
class Origin:
    """What the cards of one `add` share."""

    scope: Scope
    now: int
    source_id: str | None
    metadata: Metadata
    made_by: str = "rule"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The store and the token counter that stored lines are measured with."""

    store: Store
    count: Counter

    def add(self, draft: Draft, key: bytes, origin: Origin, at: str, events: Mapping[int, Event]) -> Card:
        """A new card of a draft whose spans name `events` by number; `key` is the draft's digest."""
        id_ = new_id("c", origin.now)
        pointer = self.store.claim_pointer(stems(draft.text, self.count), origin.scope, id_)
        now = iso(origin.now)
        card = Card(
            id_, pointer, 1, origin.scope, draft.kind, draft.role, draft.speaker, draft.text, at, now, now,
            origin.source_id, origin.metadata, origin.made_by, 0,
        )  # fmt: skip
        stored = self._version(card, "add", "added", None, key)
        self.link(stored.id, draft, events)
        return stored

    def bring_back(self, cards: Iterable[Card], now: int, why: str) -> None:
        """What was needed again leaves the archive."""
        marks = self.store.marks_of([card.id for card in cards])
        self.store.add_marks([Mark(id_, "long", now, why, UPKEEP) for id_, some in marks.items() if archived(some)])

    def link(self, card_id: str, draft: Draft, events: Mapping[int, Event]) -> None:
        """Lead the card back to its events, also when another event says the same again."""
        for index, start, end in draft.spans:
            self.store.link(card_id, events[index].id, start, end)

    def update(
        self, card: Card, text: str, metadata: Metadata, now: int, reason: str, *, made_by: str | None = None
    ) -> Card:
        """A new version; `made_by` is HAND for a change that a caller asks for."""
        changed = replace(card, text=text, metadata=metadata)
        if text != card.text:
            self._let_fall(card, now)
        elif is_derived(card):  # the words are as they were made
            made_by = None
        return self._version(_after(card, changed, now, made_by), "update", reason, card)

    def move(self, card: Card, session: str | None, now: int, reason: str) -> Card:
        """The card belongs to another session that says it too."""
        changed = replace(card, scope=replace(card.scope, session=session))
        return self._version(_after(card, changed, now, _maker(card)), "update", reason, card)

    def delete(self, card: Card, now: int, reason: str, *, made_by: str | None = HAND) -> Card:
        """A tombstone: the card's text stays in its earlier versions and in the events. What was derived from it goes with it."""
        if is_derived(card) and (newest := self.store.card(card.id)) and newest[1] == "delete":
            return newest[0]  # it went with its source a moment ago
        self._let_fall(card, now)
        gone = _after(card, replace(card, text="", tokens=0, head_tokens=0, parts=()), now, made_by)
        stored = self.store.add_version(gone, "delete", reason, b"", replaces=card.row)
        self.store.drop_index(card.row)
        self._outdated(card, now, f"made of [m:{card.pointer}], which was deleted")
        return stored

    def _outdated(self, card: Card, now: int, why: str) -> None:
        """What was made of a version's words goes with it: refinements, and cards derived from it."""
        self.store.unrefine([card.row], now, why, UPKEEP)
        for one in () if is_derived(card) else self.store.derived(card.id):
            self.delete(one, now, why, made_by=UPKEEP)

    def _let_fall(self, card: Card, now: int) -> None:
        """Delete what a model derived from the words of a card that no longer says them, in the same moment, so that one undo takes
        all of it back."""
        if MODEL not in card.made_by and (fallen := self.store.derived_alone(card.id)):
            self.store.unread_again([one.id for one in fallen])
            for one in fallen:
                self.delete(one, now, "what it was derived from is gone", made_by=None)

    def restore(self, newest: Card, earlier: Card, now: int, reason: str) -> Card:
        """The card, deleted or not, says again what an earlier version of it said."""
        back = replace(earlier, pointer=newest.pointer)
        return self._version(_after(newest, back, now, _maker(earlier)), "restore", reason, newest)

    def rewrite(self, versions: Sequence[tuple[Card, Op, str]]) -> Card:
        """Put these versions, whose rows stay, in the place of all that the card has; return the newest."""
        born = versions[0][0].row
        told = []
        for number, (card, op, reason) in enumerate(versions, 1):
            card = replace(card, version=number, born=born)
            words = b"" if op == "delete" else digest(card.kind, card.role, card.speaker, card.text)
            told.append((card if op == "delete" else measured(card, self.count), op, reason, words))
        self.store.set_versions(told)
        for card, op, *_ in told:
            if op != "delete":
                self.state(card)
        newest, op, *_ = told[-1]
        if op != "delete":
            self.store.put_terms(newest.row, index_bytes(newest))
        return newest

    def adopt(self, card: Card, op: Op, reason: str, previous: Card | None) -> Card:
        """Take over a version from an export as it is; only a pointer that is taken here is replaced."""
        if previous is not None:
            card = replace(card, pointer=previous.pointer, born=previous.born)
        elif not self.store.keep_pointer(card.pointer, card.scope, card.id):
            card = replace(card, pointer=self.store.claim_pointer(stems(card.text, self.count), card.scope, card.id))
        if op != "delete":
            return self._version(card, op, reason, previous)
        stored = self.store.add_version(card, op, reason, b"", replaces=previous.row if previous else None)
        if previous is not None:
            self.store.drop_index(previous.row)
        return stored

    def restate(self, card: Card) -> None:
        """The same anew, by the rules as they are now."""
        self.store.drop_facts(card.row)
        self.state(card)

    def state(self, card: Card) -> None:
        """Write down what the words of a stored version state."""
        told = [self._settled(fact, card.scope) for fact in stated(card)]
        if facts := [*told, *follows(self.store, told, card)]:
            self.store.add_facts(card.row, facts)

    def _settled(self, fact: FactRow, scope: Scope) -> FactRow:
        """The fact, about whom its matter is known to be where it says only that it changed."""
        if partial(fact):
            kept = grouped(self.store.facts_under(scope, fact.slot, fact.about))
            held = {id_: how for some in kept.values() for id_, how in standings(some).items()}
            return named(
                fact, [o for some in kept.values() for o in some if held[o.id].standing in ("current", "planned")]
            )
        if not changed(fact):
            return fact
        groups = grouped(self.store.facts_on(scope, fact.matter, None))
        if any(other.about == fact.about for some in groups.values() for other in some):
            return fact
        held = {id_: how for some in groups.values() for id_, how in standings(some).items()}
        return settle(
            fact, [other for some in groups.values() for other in some if held[other.id].standing == "current"]
        )

    def overtaken(self, card: Card, begin: int) -> set[int]:
        """Rows of the cards of before `begin` that ended what a card states: to say the same of then is news."""
        found: set[int] = set()
        for group, held in self._matters({card.row: card.scope}):
            over = [how for id_, how in held.items() if group[id_].row == card.row and _over(how)]
            found |= {group[how.by].row for how in over if how.by in group and (how.until or 0) <= begin}
        return found

    def ended(self, cards: Sequence[Card]) -> list[tuple[FactRow, FactRow]]:
        """What earlier cards stated and these, just stored, end: the old fact and the new one."""
        rows = {card.row: card.scope for card in cards}
        return [
            (group[id_], ender)
            for group, held in self._matters(rows)
            for id_, how in held.items()
            if _over(how) and group[id_].row not in rows and (ender := group.get(how.by or 0)) and ender.row in rows
        ]

    def _matters(self, rows: Mapping[int, Scope]) -> Iterator[tuple[dict[int, FactRow], dict[int, Held]]]:
        """Each matter that these rows state something of: all facts on it by id, and how each stands."""
        for some in grouped(self.store.facts_of_rows(list(rows))).values():
            group = {fact.id: fact for fact in self.store.facts_on(rows[some[0].row], some[0].matter, some[0].about)}
            yield group, standings(list(group.values()))

    def _version(self, card: Card, op: Op, reason: str, previous: Card | None, key: bytes | None = None) -> Card:
        card = measured(card, self.count)
        key = key or digest(card.kind, card.role, card.speaker, card.text)
        stored = self.store.add_version(card, op, reason, key, replaces=previous.row if previous else None)
        self.store.put_terms(stored.row, index_bytes(card))
        self.state(stored)
        if previous is not None:
            same = previous.text == card.text
            if same:
                self.store.copy_vector(previous.row, stored.row)
            self.store.drop_index(previous.row)
            why = f"[m:{card.pointer}] has a new version"
            if same:
                self.store.unrefine([previous.row], micros(card.updated_at), why, UPKEEP)
            else:
                self._outdated(previous, micros(card.updated_at), why)
        return stored


def is_derived(card: Card) -> bool:
    """Whether a card was made of other cards: `made_by` names the rule or the prompt, and what with."""
    return ":" in card.made_by


def _maker(card: Card) -> str:
    """Who makes a version by hand that has the words of this one: still the rule or model, where they are of its making."""
    return card.made_by if is_derived(card) else HAND


def _over(how: Held) -> bool:
    return how.standing == "superseded"


def _after(before: Card, changed: Card, now: int, made_by: str | None) -> Card:
    """The version that follows `before`. Its time is never earlier, whatever the clock says: a history is in order."""
    maker = made_by or ("rule" if before.made_by == HAND else before.made_by)
    stamp = iso(max(now, micros(before.updated_at)))
    return replace(
        changed, version=before.version + 1, updated_at=stamp, made_by=maker, row=before.row, born=before.born
    )


def who(card: Card) -> str:
    """The name that a line shows: the speaker, else the role."""
    return card.speaker or card.role


def index_bytes(card: Card) -> bytes:
    """The durable keyword index of a card: its terms in text order, and a mark if it ends as a question."""
    found = terms(card.text)
    if card.text.rstrip().endswith(("?", "？")):
        found.append(QUESTION)
    return hashes(found).tobytes()


def measured(card: Card, count: Counter) -> Card:
    """The card with the token counts that recall adds up later."""
    tokens = count(line(card.pointer, who(card), card.text))
    parts: Parts = ()
    if tokens > _LONG:
        # Part 0 is the line that names a shortened card; the others are its sentences.
        name = (0, 0, count(line(card.pointer, who(card), SHORTENED)))
        spans = sentences(card.text)
        parts = (name, *((start, end, count(part_line(card.text[start:end]))) for start, end in spans))
    return replace(card, tokens=tokens, head_tokens=_heading_tokens(heading(card.at, card.session), count), parts=parts)


@lru_cache(maxsize=4096)  # the cards of a session share their heading
def _heading_tokens(text: str, count: Counter) -> int:
    return count(text)
