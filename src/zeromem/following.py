"""What follows from a fact for others that no word of it names: a death ends an age, a moved meeting moves the plan, a done errand is none.

In: the facts of a card that is being stored, and the store. Out: further facts of the same card, mostly denials. Each is of something that
is known and stands; what is not known is neither ended nor invented. Facts made here bear `made_by` FOLLOWS, and no text states them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from zeromem.clock import micros
from zeromem.correcting import corrected
from zeromem.facts import USER, FactRow
from zeromem.ports import Store
from zeromem.route import FOLLOWS, about, by_role, coming, denied, grouped, sense, standings
from zeromem.rules import table, weighing
from zeromem.text.times import parse_time
from zeromem.text.words import content, terms
from zeromem.types import Card, Scope

_MORTAL = ("age", "home", "workplace", "job", "school", "location")  # slots of which nothing holds of the dead
_ACTS = ("goal", "habit", "study")  # slots that tell what somebody is at
_BESIDE = 2  # words that may stand beside those of an errand that was done


def follows(store: Store, told: Sequence[FactRow], card: Card) -> Iterator[FactRow]:
    """Facts that follow from those that a card states, or from its words."""
    for fact in told:
        yield from _bereft(store, fact, card)
        yield from _rearranged(store, fact, card)
        yield from _given_up(store, fact, card.scope)
        yield from _succeeded(store, fact, card.scope)
    if card.kind == "message" and card.role == USER:
        yield from _done(store, card)
        yield from corrected(store, told, card)


def _bereft(store: Store, fact: FactRow, card: Card) -> Iterator[FactRow]:
    """Whose pet it was that died, how old it was, where it lived and worked."""
    pet = fact.slot == "pet" and fact.polarity == "-" and fact.made_by.endswith(".pet.died")
    if fact.slot != "life" and not pet:
        return
    name = fact.sense if pet else fact.about
    known = [other for slot in _MORTAL for other in store.facts_on(card.scope, slot, name)]
    known += store.facts_under(card.scope, "pet", about(USER, card.speaker))
    for other in _standing(known, "current"):
        if name in (other.about, other.sense) and (pet is False or other.slot != "pet"):
            yield denied(other, fact.start, fact.end, share=fact.share)


def _rearranged(store: Store, fact: FactRow, card: Card) -> Iterator[FactRow]:
    """The one plan whose date was changed ("the meeting with Ana was moved to Friday")."""
    if fact.slot != "date" or not fact.change or fact.sign < 0 or fact.modality != "asserted":
        return
    words, when = set(sense(fact.subject).split()), coming(fact.value, parse_time(card.at))
    plans = _standing(store.facts_under(card.scope, "plan", about(USER, card.speaker)), "planned")
    plans = [plan for plan in plans if words and words <= set(plan.sense.split())]
    if when is not None and len({plan.sense for plan in plans}) == 1:
        yield replace(
            plans[-1], id=0, row=0, start=fact.start, end=fact.end, when=fact.value, change=True, made_by=FOLLOWS, at=0,
            valid_from=micros(when.start), valid_to=micros(when.end), share=fact.share,
        )  # fmt: skip


def _given_up(store: Store, fact: FactRow, scope: Scope) -> Iterator[FactRow]:
    """What one was at, told in another way ("I'm learning Spanish", "I gave up on Spanish")."""
    if fact.slot not in _ACTS or fact.polarity == "+" or not fact.change or fact.modality != "asserted":
        return
    words = set(fact.sense.split())
    known = [other for slot in _ACTS for other in store.facts_under(scope, slot, fact.about)]
    known += store.facts_on(scope, "study", fact.about)
    for other in _standing(known, "current"):
        if other.slot != fact.slot and words <= set(other.sense.split()):
            yield denied(other, fact.start, fact.end, share=fact.share)


def _succeeded(store: Store, fact: FactRow, scope: Scope) -> Iterator[FactRow]:
    """The one of the same title who was known in a role, where somebody else took the place of nobody named ("I switched to Dr. Wu")."""
    if not fact.made_by.endswith(".kin.switched") or by_role(fact) or fact.sign < 0:
        return
    title = weighing("title").search(fact.value)
    known = _standing(store.facts_under(scope, fact.slot, fact.about), "current") if title is not None else []
    known = [other for other in known if by_role(other) and title and title[0].lower() in other.value.lower()]
    if len({other.matter for other in known}) == 1 and fact.sense not in {other.sense for other in known}:
        yield from (denied(other, fact.start, fact.end, share=fact.share) for other in known)


def _done(store: Store, card: Card) -> Iterator[FactRow]:
    """Errands that the card says were done ("I renewed my passport")."""
    acts = [(match.span("act"), _plain(match["act"])) for match in weighing("did").finditer(card.text)]
    if not acts:
        return
    for errand in _standing(store.facts_under(card.scope, "todo", about(USER, card.speaker)), "planned"):
        words = set(errand.sense.split())
        for (start, end), act in acts:
            if act and act[0] in words and words <= set(act) and len(set(act) - words) <= _BESIDE:
                yield denied(errand, start, end, len(card.text))
                break


def _plain(words: str) -> list[str]:
    """The words of topic in the form of the present."""
    return [_present().get(term, term) for term in content(terms(words))]


@cache
def _present() -> dict[str, str]:
    return dict(table("en", "clauses").get("present", {}))


def _standing(facts: Iterable[FactRow], standing: str) -> list[FactRow]:
    """What is affirmed of them and stands so, in the order it was said."""
    groups = grouped(list(facts)).values()
    held = {id_: how.standing for some in groups for id_, how in standings(some).items()}
    return [fact for some in groups for fact in some if fact.sign > 0 and held[fact.id] == standing]
