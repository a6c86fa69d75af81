"""Brings the memories of a scope within a budget of characters: rules propose, every proposal is checked, and the source stays.

In: a ledger, a scope, a budget. Out: a `Refined`, with what was made and what was refused. The order is that of MemRefine (arXiv 2606.13177,
Algorithm 1): while the scope is over its budget, the most similar pair that was not judged yet is judged (one says the other too, both say one
thing, or they stay); when no pair is left, texts are shortened, those that say least first; then the weakest come to rest. Work is written in
short transactions that look again whether a memory is still what was read, so that it can be cut short anywhere and goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import log

from zeromem.clock import micros
from zeromem.facts import FactRow
from zeromem.ledger import Ledger, is_derived, measured, who
from zeromem.ports import Progress, is_pinned
from zeromem.refine.judge import Action, Side, Verdict, judge
from zeromem.refine.pairs import similar
from zeromem.refine.shorten import Part, allot, shorten
from zeromem.refine.verify import Loss, verify
from zeromem.refinements import Proposal, Refined, Refinement, Refining, Refusal
from zeromem.text.segment import Span, count_words
from zeromem.text.words import terms
from zeromem.types import Card, Scope

PAIRED, SHORTENED, RESTS = "rule:pair@1", "rule:shorten@1", "rule:rest@1"
_READ, _BATCH = 500, 100  # cards that are read, and memories that are written, at a time
_SHORT = 6  # words: a text of fewer is as brief as it can be
_CLAUSE = 120  # characters of a clause that states a fact and is kept word for word
_TIGHT = 0.6  # of what was said: with less room than that no summary is kept beside the memories
_AGAIN = 1.25  # of the room, for a text that lost too much at first

Strengths = Callable[[Sequence[Card]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class How:
    """How a scope is refined: the `keep` memories said last stay; `strengths` says how strong memories are; `pause` is called between two, so
    that calls in flight go first; `dry_run` only proposes."""

    keep: int
    strengths: Strengths
    pause: Callable[[], None]
    dry_run: bool = False


@dataclass(slots=True)
class One:
    """A memory under way: as it was said, and as it is shown now (None: not at all)."""

    card: Card
    text: str
    shown: str | None
    fixed: bool  # stays as it is: pinned, new, or wanted so by hand
    keep: tuple[Span, ...] = ()  # characters that state something

    @property
    def size(self) -> int:
        return len(self.shown or "")


@dataclass(slots=True)
class Work:
    """One run over a scope. `pause` is called between two memories, so that calls in flight go first."""

    ledger: Ledger
    now: int
    budget: int
    dry_run: bool
    pause: Callable[[], None]
    all: list[One] = field(default_factory=list)
    change: int = 0
    made: Counter[str] = field(default_factory=Counter)
    saved: int = 0
    refused: list[Refusal] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(one.size for one in self.all)

    def take(self, some: Sequence[tuple[One, Refinement, Loss | None]], by: Card | None = None) -> bool:
        """Write these refinements together, or none of them where one of the memories is no longer what was read."""
        store = self.ledger.store
        if not self.dry_run:
            with store.write():
                if not all(_still(self.ledger, one.card) for one, *_ in some):
                    return False
                self.change = store.refine([how for _, how, _ in some], self.now, self.change)
        for one, how, loss in some:
            lost = loss.soft_lost if loss else ()
            if self.dry_run:
                pointer = by.pointer if by and how.text is None else ""
                self.proposals.append(
                    Proposal(one.card.pointer, how.op, one.shown or "", how.text, how.why, pointer, lost)
                )
            self.made[how.op] += 1
            self.saved += one.card.tokens - how.tokens
            one.shown = how.text
            if how.op == "merge" and how.text is not None:
                one.text = how.text
        return True


def refine(ledger: Ledger, scope: Scope, now: int, budget: int, how: How, progress: Progress | None = None) -> Refined:
    """Refine a scope until search can show at most `budget` characters of it."""
    said, before = ledger.store.storage(scope)
    if before <= budget:
        return Refined(said, before, before, budget)
    work = Work(ledger, now, budget, how.dry_run, how.pause, _read(ledger, scope, how.keep))
    _without_summaries(work, said)
    _pairs(work)
    _shortened(work, progress)
    _rested(work, how.strengths)
    if progress:
        progress(len(work.all), len(work.all))
    changes = (work.change,) if work.change else ()
    return Refined(
        said, before, work.size, budget, dict(work.made), work.saved, changes, tuple(work.refused), tuple(work.proposals)
    )  # fmt: skip


def _read(ledger: Ledger, scope: Scope, keep: int) -> list[One]:
    """Every memory of the scope in the order of time, with what is shown of it."""
    store, out, after = ledger.store, list[One](), (-(2**62), 0)
    while cards := store.cards_after(scope, "time", after, _READ):
        after = (micros(cards[-1].at), cards[-1].born)
        rows = [card.row for card in cards]
        known, alone = store.refined(rows), store.left_alone(rows)
        marks = store.marks_of([card.id for card in cards])
        told: dict[int, list[FactRow]] = {}
        for fact in store.facts_of_rows(rows):
            told.setdefault(fact.row, []).append(fact)
        for card in cards:
            how = known.get(card.row)
            fixed = card.row in alone or is_pinned(marks.get(card.id, ()))
            merged = card.text if how is None or how.op != "merge" or how.text is None else how.text
            shown = card.text if how is None else how.text
            out.append(One(card, merged, shown, fixed, _places(card.text, merged, told.get(card.row, ()))))
    for one in out[max(0, len(out) - keep) :] if keep else ():
        one.fixed = True
    return out


def _places(said: str, text: str, told: Iterable[FactRow]) -> tuple[Span, ...]:
    """Where a text states facts: their clauses, or in a merged text their values."""
    if text == said:
        return tuple({(fact.start, fact.end) for fact in told if fact.end - fact.start <= _CLAUSE})
    found = ((text.find(fact.value), len(fact.value)) for fact in told)
    return tuple((start, start + length) for start, length in found if start >= 0)


def _still(ledger: Ledger, card: Card) -> bool:
    found = ledger.store.card(card.id)
    return found is not None and found[0].row == card.row and found[1] != "delete"


def _without_summaries(work: Work, said: int) -> None:
    """Where there is little room, what only says again in brief what the memories say comes to rest first."""
    derived = [one for one in work.all if is_derived(one.card)]
    for one in derived:
        if work.budget < _TIGHT * said and not one.fixed and one.shown is not None:
            how = Refinement(one.card.row, "rest", None, None, 0, (), "says again what the memories say", RESTS)
            work.take([(one, how, None)])
        one.fixed = True


def _pairs(work: Work) -> None:
    """Judge similar pairs, the most similar first, until the budget holds or no pair is left."""
    open_ = [one for one in work.all if not one.fixed and one.shown is not None and one.shown == one.text]
    size = work.size
    for first, second in similar([one.text for one in open_]):
        if size <= work.budget:
            return
        work.pause()
        one, two = open_[first], open_[second]
        if one.shown is None or two.shown is None or not _one_occasion(work.ledger, one.card, two.card):
            continue
        before = one.size + two.size
        _join(work, one, two, judge(Side(one.text, who(one.card)), Side(two.text, who(two.card))))
        size -= before - one.size - two.size


def _one_occasion(ledger: Ledger, one: Card, two: Card) -> bool:
    """Whether two memories can be of one thing: said in one session, or stating the same facts. The same done twice is two things."""
    if one.kind != two.kind:
        return False
    if one.session is not None and one.session == two.session:
        return True
    facts = ledger.store.facts_of_rows([one.row, two.row])
    stated = [{(f.matter, f.about, f.sense, f.sign) for f in facts if f.row == card.row} for card in (one, two)]
    return bool(stated[0]) and stated[0] == stated[1]


def _join(work: Work, one: One, two: One, verdict: Verdict) -> None:
    if verdict.action is Action.DELETE:
        goes, stays = (one, two) if verdict.goes == 0 else (two, one)
        how = Refinement(goes.card.row, "inside", None, stays.card.row, 0, (), verdict.reason, PAIRED)
        work.take([(goes, how, None)], stays.card)
    elif verdict.action is Action.MERGE and verdict.text is not None:
        stays, goes = (one, two) if len(one.text) >= len(two.text) else (two, one)
        loss = verify(f"{stays.text}\n{goes.text}", verdict.text)
        if not loss.ok:
            work.refused.append(Refusal(stays.card.pointer, "merge", loss.reason))
            return
        whole = _wording(work.ledger, stays.card, verdict.text, "merge", verdict.reason, PAIRED, loss)
        inside = Refinement(goes.card.row, "inside", None, stays.card.row, 0, (), verdict.reason, PAIRED)
        work.take([(stays, whole, loss), (goes, inside, None)], stays.card)


def _wording(ledger: Ledger, card: Card, text: str, op: Refining, why: str, made_by: str, loss: Loss) -> Refinement:
    """A refinement that shows this text."""
    shown = measured(replace(card, text=text), ledger.count)
    lost = {"soft": list(loss.soft_lost)} if loss.soft_lost else {}
    return Refinement(card.row, op, text, None, shown.tokens, shown.parts, why, made_by, lost)


def _shortened(work: Work, progress: Progress | None) -> None:
    """Shorten texts, those that say least by most, so that the whole comes to the budget."""
    if work.size <= work.budget:
        return
    free = [one for one in work.all if not one.fixed and one.shown is not None and _can_shorten(one)]
    room = work.budget - work.size + sum(one.size for one in free)
    texts = [one.text for one in free]
    whole = sum(map(len, texts))
    if not whole:
        return
    weigh = _rarity(texts)
    groups = [one.card.session or one.card.id for one in free]
    parts = allot(texts, max(0.0, room / whole), weigh=weigh, groups=groups, keeps=[one.keep for one in free])
    batch: list[tuple[One, Refinement, Loss | None]] = []
    for number, (one, part) in enumerate(zip(free, parts, strict=True), 1):
        work.pause()
        if part.most < one.size and (made := _shorter(work, one, part)):
            batch.append(made)
        if batch and (len(batch) >= _BATCH or number == len(free)):
            if not work.take(batch):  # one of them was changed meanwhile
                for entry in batch:
                    work.take([entry])
            batch = []
        if progress and number % _BATCH == 0:
            progress(number, len(work.all))


def _can_shorten(one: One) -> bool:
    """Brief texts say nothing in fewer words; of a tool's result every value stands beside its key."""
    return count_words(one.text) >= _SHORT and one.card.kind != "tool"


def _shorter(work: Work, one: One, part: Part) -> tuple[One, Refinement, Loss] | None:
    """The memory in fewer words; None where that would lose what may not be lost, or wins nothing."""
    reason = ""
    for most in (part.most, int(part.most * _AGAIN)):
        text = shorten(one.text, most, weigh=part.weigh, keep=one.keep)
        if len(text) >= one.size:
            break
        loss = verify(one.text, text, known=frozenset(terms(who(one.card))))
        if loss.ok:
            why = f"{len(one.text)} characters in {len(text)}"
            return one, _wording(work.ledger, one.card, text, "shorten", why, SHORTENED, loss), loss
        reason = loss.reason
    if reason:
        work.refused.append(Refusal(one.card.pointer, "shorten", reason))
    return None


def _rarity(texts: Sequence[str]) -> Callable[[str], float]:
    """How rare a word is among the texts, from 0.02 to 1."""
    held = Counter(word for text in texts for word in set(terms(text)))
    total = log(len(texts) + 1)
    return lambda word: max(0.02, log((len(texts) + 1) / max(1, held[word])) / total)


def _rested(work: Work, strengths: Strengths) -> None:
    """Put the weakest to rest until the budget holds."""
    over = work.size - work.budget
    if over <= 0:
        return
    free = [one for one in work.all if not one.fixed and one.shown]
    weights = strengths([one.card for one in free])
    for strength, one in sorted(zip(weights, free, strict=True), key=lambda pair: (pair[0], pair[1].card.at)):
        if over <= 0:
            return
        work.pause()
        gone = one.size
        how = Refinement(one.card.row, "rest", None, None, 0, (), f"the weakest ({strength:.2f})", RESTS)
        over -= gone if work.take([(one, how, None)]) else 0
