"""What follows from a fact for others that no word of it names: a death ends an age, a moved meeting moves the plan, a done errand is none.

In: the facts of a card that is being stored, and the store. Out: further facts of the same card, mostly denials. Each is of something that
is known and stands; what is not known is neither ended nor invented. Facts made here bear `made_by` FOLLOWS, and no text states them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from zeromem.clock import micros
from zeromem.correcting import corrected
from zeromem.encode.plain import HAN
from zeromem.facts import USER, FactRow
from zeromem.kinds import role, slot
from zeromem.ports import Store
from zeromem.route import FOLLOWS, about, by_role, coming, denied, grouped, sense, standings
from zeromem.rules import table, weighing
from zeromem.structures.kin import is_way, sort, thing
from zeromem.text.times import parse_time
from zeromem.text.words import content, terms
from zeromem.types import Card, Scope

_MORTAL = ("age", "home", "workplace", "job", "school", "location")  # slots of which nothing holds of the dead
_ACTS = ("goal", "habit", "study")  # slots that tell what somebody is at
_ERRANDS = ("todo", "plan")
_ROLED = ("contact", "uses", "owns")  # slots of which somebody has one in each role
_BESIDE = 2  # words that may stand beside those of an errand that was done
_NAMED = 2  # characters of a Chinese thing of which it is told only that it is done


def follows(store: Store, told: Sequence[FactRow], card: Card) -> Iterator[FactRow]:
    """Facts that follow from those that a card states, or from its words."""
    for fact in told:
        yield from _bereft(store, fact, card)
        yield from _rearranged(store, fact, card)
        yield from _given_up(store, fact, card.scope)
        yield from _sworn_off(store, fact, card.scope)
        yield from _lapsed(store, fact, card.scope)
        yield from _succeeded(store, fact, card.scope)
    if card.kind == "message" and card.role == USER:
        yield from _done(store, card)
        yield from _replaced(store, told, card)
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


def _sworn_off(store: Store, fact: FactRow, scope: Scope) -> Iterator[FactRow]:
    """The habit of what somebody gave up ("four coffees a day", "I've given up coffee"; 每天一杯美式, 戒咖啡了)."""
    if fact.slot != "diet" or fact.polarity == "+" or not fact.change or fact.modality != "asserted":
        return
    for other in _standing(store.facts_under(scope, "habit", fact.about), "current"):
        if other.polarity == "+" and sort(fact.value).named_in(other.value):
            yield denied(other, fact.start, fact.end, share=fact.share)


def _lapsed(store: Store, fact: FactRow, scope: Scope) -> Iterator[FactRow]:
    """The way of eating that is over for who took up what it bars ("I'm vegan", "I started eating meat again")."""
    if fact.slot != "diet" or fact.sign < 0 or not fact.change or fact.modality != "asserted" or is_way(fact.value):
        return
    family = slot(fact.slot).family or fact.slot
    for other in _standing(store.facts_under(scope, family, fact.about), "current"):
        if (
            other.slot == fact.slot
            and other.polarity == "+"
            and is_way(other.value)
            and thing(other.value).named_in(fact.value)
        ):
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


def _replaced(store: Store, told: Sequence[FactRow], card: Card) -> Iterator[FactRow]:
    """Whom or what somebody had in a role, where it is told only that it is another now ("I changed dentists", 小雨换了钢琴老师)."""
    named = {(fact.about, fact.matter) for fact in told if fact.sign > 0}
    for match in (match for key in ("replaced", "swapped") for match in weighing(key).finditer(card.text)):
        whose, what = about(match["who"] or USER, card.speaker), match["what"]
        for name in _ROLED:
            words = f"的{what}" if HAN.search(what) else what  # as in 我的医生, where it is told who it is
            part = role(name, what, words, 0, len(words))
            matter = f"{name}\n{part[0]}" if part is not None else ""
            if not matter or (whose, matter) in named:
                continue
            for other in _standing(store.facts_on(card.scope, matter, whose), "current"):
                yield denied(other, *match.span("what"), len(card.text))


def _done(store: Store, card: Card) -> Iterator[FactRow]:
    """Errands that the card says were done ("I renewed my passport", "the rent is paid", 护照办好了)."""
    deeds = list(_deeds(card.text))
    if not deeds:
        return
    known = [fact for slot in _ERRANDS for fact in store.facts_under(card.scope, slot, about(USER, card.speaker))]
    for errand in _standing(known, "planned"):
        deed = next((deed for deed in deeds if deed.ends(errand)), None)
        if deed is not None:
            yield denied(errand, deed.start, deed.end, len(card.text))


@dataclass(frozen=True, slots=True)
class _Deed:
    """What is told of as done, and where: its words in the form of the present, the verb first ("" where any is meant), or as they stand."""

    start: int
    end: int
    verb: str
    topic: tuple[str, ...]
    whole: bool = True  # whether the topic is all that an errand may name beside the verb

    def ends(self, errand: FactRow) -> bool:
        if HAN.search(self.topic[0]):
            return self._covers(errand.value)
        words, told = set(errand.sense.split()), {*self.topic, *filter(None, (self.verb,))}
        if self.whole:
            return (
                set(self.topic) < words
                and (self.verb in words or not self.verb)
                and len(words - told) <= (not self.verb)
            )
        return self.verb in words and words <= told and len(told - words) <= _BESIDE

    def _covers(self, value: str) -> bool:
        topic = self.topic[0]
        if topic not in value or not (self.verb in value or not self.verb) or (not self.verb and len(topic) < _NAMED):
            return False
        rest = value.replace(topic, "", 1).replace(self.verb, "", 1)
        return len(weighing("on_the_way").sub("", rest)) <= 1


def _deeds(text: str) -> Iterator[_Deed]:
    for match in weighing("did").finditer(text):
        act = match["act"]
        ended = weighing("any_deed").search(act.partition(" ")[0]) is not None  # "finished the report and sent it off"
        words = _plain(act.partition(" and ")[0] if ended else act)
        if len(words) > 1:
            yield _Deed(*match.span("act"), "" if ended else words[0], tuple(words[1:]), whole=ended)
    for match in weighing("over").finditer(text):
        topic, deed = _plain(match["what"] or match["thing"]), match["deed"] or ""
        verb = "" if not deed or weighing("any_deed").search(deed) else next(iter(_plain(deed)), deed)
        if topic:
            yield _Deed(*match.span(), verb, tuple(topic))
    for match in (match for key in ("acted", "acted_on") for match in weighing(key).finditer(text)):
        verb = "" if weighing("any_act").search(match["act"]) else match["act"]
        yield _Deed(*match.span(), verb, (match["topic"],))


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
