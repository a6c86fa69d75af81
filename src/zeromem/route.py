"""Decides what facts mean for each other: which are of the same matter, which still hold, which contradict. Pure.

In: claims read from a text, and stored facts. Out: rows to store (`filed`), and the standing of each fact of one matter
(`standings`). A fact ends another only where subject and matter are the same; mentions, chains and names that occur together end
nothing. Standing is never stored: a fact that was ended by a card holds again when that card goes, and facts that come in out of order
fall into place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from zeromem.clock import micros
from zeromem.facts import HAND, USER, Claim, FactRow
from zeromem.kinds import role, slot
from zeromem.rules import weighing
from zeromem.text.times import TimeSpan, find
from zeromem.text.words import content, fold, terms

_LABEL = re.compile(r"^.{1,16}[:：]\s*(?=\S)")  # "Notice: the port"
_NUMBER = re.compile(r"\d")
_SENTENCE = re.compile(r"[.!?;]\s+|\n|[。！？；]")
_TIMES = ("date", "birthday")  # slots whose values are times
_BARE = ("value", "值")  # slots of sentences that name what they tell in their subject
_NEXT = (7, 31, 366)  # days after which a weekday, a day of the month, a month has come again
_SORTED = {**dict.fromkeys(("phone", "email", "address", "budget", "code"), "sort"), "identifier": "numbered"}
_LEAD = 40  # characters before a clause that may say when ("In 2012 I moved")
_LONG = 45  # days after which a change that is told is no news
_OPEN = 32  # ways of telling that are kept in mind at a time
_AGREED = (
    "workplace",
)  # slots whose dated plans are agreements with others: they come true unless it is told otherwise
FOLLOWS = "follows"  # what made a fact that no word states: it follows from one
_ASSERTED, _PLANNED, _TEMPORARY, _PAST = "asserted", "planned", "temporary", "past"


@dataclass(frozen=True, slots=True)
class Held:
    """How a fact stands; `by` is the id of the fact that ended or contradicts it. `since`: from when on it holds, where it had ended before
    and was told again; `until`: when what ended it was told."""

    standing: str
    by: int | None = None
    since: int | None = None
    until: int | None = None


def about(subject: str, speaker: str | None = None) -> str:
    """The folded form of a subject: "the billing service" and "billing services" are one. "user" is the speaker, where named."""
    if subject == USER:
        subject = speaker or USER
    bare = weighing("leading").sub("", _LABEL.sub("", subject.strip()))
    return " ".join(terms(bare) or [fold(bare)])


def sense(value: str) -> str:
    """The folded form of a value: its words of topic, sorted, so that wording and order do not matter."""
    found = terms(weighing("leading").sub("", value.strip()))
    return " ".join(sorted(set(content(found) or found))) or fold(value)


def filed(claim: Claim, speaker: str | None, at: datetime, text: str) -> FactRow:
    """A claim as it is stored; its time words are resolved against `at`, when it was said. `text` is the card's."""
    known, subject = slot(claim.slot), about(claim.subject, speaker)
    name = claim.slot
    if name == "date":  # the dentist, and the appointment with them
        subject = about(weighing("visit").sub("", claim.subject), speaker)
    if name in _BARE and " " in subject:  # "the login port is 49222": the port of the login
        subject, name = subject.rsplit(" ", 1)
    name += _sort(claim, text)
    single = known.one if claim.single is None else claim.single
    single |= claim.slot == "identifier" and (
        name != claim.slot or weighing("setting").search(claim.subject) is not None
    )  # "the port"
    single = single and weighing("several").search(claim.subject) is None
    meaning = _day(claim, at) or sense(claim.value)
    # Where many values hold, each is a matter of its own.
    part = None if single else role(claim.slot, claim.value, text, claim.start, claim.end)
    matter = name if single else f"{known.family or name}\n{part[0] if part else meaning}"
    if part is not None and weighing("anew").search(part[1]):
        claim = replace(claim, change=True)
    sign = known.sign if claim.polarity == "+" else -known.sign
    span = _span(claim, at, text)
    if (
        span is not None
        and claim.modality == _ASSERTED
        and claim.slot not in _TIMES
        and span.start > at + timedelta(days=1)
    ):
        claim = replace(claim, modality=_PLANNED)  # "from May on"
    over = claim.modality == _PLANNED and span is not None and at - span.end > timedelta(days=_LONG)
    return FactRow(
        id=0, row=0, start=claim.start, end=claim.end, subject=speaker or USER if claim.subject == USER else claim.subject,
        slot=claim.slot, value=claim.value, polarity=claim.polarity, modality=_PAST if over else claim.modality,
        about=subject, matter=matter, sense=meaning, sign=sign, single=single, change=claim.change,
        when=claim.when, valid_from=micros(span.start) if span else None, valid_to=micros(span.end) if span else None,
        share=(claim.end - claim.start) / max(1, len(text)), made_by=claim.rule or "rule",
    )  # fmt: skip


def _day(claim: Claim, at: datetime) -> str | None:
    """The day that a value means, so that "November 3" and 11月3日 are one; None where it is no day, or more than that."""
    if claim.slot not in _TIMES:
        return None
    found = find(claim.value, at)
    if len(found) != 1 or found[0].grain != "day" or len(found[0].text) < len(claim.value.strip()):
        return None
    return f"{found[0].start:%m-%d}" if claim.slot == "birthday" else f"{found[0].start:%Y-%m-%d}"


def _sort(claim: Claim, text: str) -> str:
    """What tells values of one slot apart that hold side by side: the work phone and the private one, a day and a time of day."""
    if claim.slot == "date":
        return " at" if weighing("clock").search(claim.value) else ""
    words = _SORTED.get(claim.slot)
    found = weighing(words).search(text, claim.start, claim.end) if words else None
    return f" {found[0].lower()}" if found else ""


def _span(claim: Claim, at: datetime, text: str) -> TimeSpan | None:
    """The stretch that the time words of a claim mean, or those beside a change that took place long ago ("in 2012 I moved to Kiel" does
    not tell of a new home). "in June" is the last one; of a plan, and of what is to come, the next."""
    told = claim.modality == _ASSERTED and claim.slot not in _TIMES  # there the time is the value
    own = _SENTENCE.split(text[max(0, claim.start - _LEAD) : claim.start])[-1] + text[claim.start : claim.end]
    if told and (onset := weighing("onset").search(own)) is not None:
        return coming(own[onset.start() :], at)
    ahead = told and weighing("coming").search(text, claim.start, claim.end) is not None
    if claim.when is not None:
        span = next(iter(find(claim.when, at)), None)
        if claim.modality == _TEMPORARY:
            return _while(span, claim.when, at)
        return _next(span, claim.when, at) if ahead or claim.modality == _PLANNED else span
    if not (told and claim.change):
        return None
    words = text[max(0, claim.start - _LEAD) : claim.end]
    spans = find(words, at)
    if ahead:
        return _next(next(iter(spans), None), words, at)
    return next((span for span in spans if at - span.end > timedelta(days=_LONG)), None)


def _while(span: TimeSpan | None, words: str, at: datetime) -> TimeSpan | None:
    """The stretch for which something holds that holds for a while: of a year without its number the next ("from April to September"), till
    its beginning where it is the end that is told ("until June"); None for what is over, or not told."""
    span = _next(span, words, at)
    if span is not None and weighing("until").search(words) is not None:
        end = span.end if span.grain == "day" or "end" in words or "底" in words else span.start
        return replace(span, start=at, end=end) if end > at else None
    return span if span is not None and span.end > at else None


def coming(words: str, at: datetime) -> TimeSpan | None:
    """The stretch that time words mean where they tell of what is to come."""
    return _next(next(iter(find(words, at)), None), words, at)


def _next(span: TimeSpan | None, words: str, at: datetime) -> TimeSpan | None:
    """A stretch that is over as it comes again; itself where it does not ("in May 2019")."""
    if span is None or span.end > at:
        return span
    later = (next(iter(find(words, at + timedelta(days=days))), None) for days in _NEXT)
    return next((found for found in later if found and found.start >= at and len(found.text) >= len(span.text)), span)


def standings(facts: Sequence[FactRow]) -> dict[int, Held]:
    """How each fact of one subject and matter stands, by id.

    In the order they were said, each as often as it was: a fact stands as it did after it was last told. What is only planned, possible,
    for the time being or past ends nothing that is asserted, except that "used to" ends the same value. A slot that cannot change keeps
    both values, as a contradiction, unless one is denied; so does any other where nothing says that one took the other's place.
    """
    out = {fact.id: Held(_standing(fact)) for fact in facts}
    # Of one message the denial comes first: "not Bath, Bristol".
    told = [telling for fact in facts for telling in fact.tellings()] if any(fact.again for fact in facts) else facts
    ordered = sorted(told, key=lambda fact: (fact.begin, fact.row, fact.sign > 0, fact.id))
    open_: dict[tuple[str, int, str, str], list[FactRow]] = {}  # what was told in the same way goes together
    for fact in ordered:
        for kind, some in list(open_.items()):
            if _verdict(fact, some[-1]) == "superseded":
                out.update(
                    (o.id, replace(out[o.id], standing="superseded", by=fact.id, until=fact.begin)) for o in some
                )
                del open_[kind]
        if out[fact.id].until is not None:
            out[fact.id] = Held(_standing(fact), since=fact.begin)
        open_.setdefault((fact.sense, fact.sign, fact.modality, fact.made_by), []).append(fact)
        if len(open_) > _OPEN:
            del open_[next(iter(open_))]
    # A contradiction is between facts that both were left standing: a denial of one settles it.
    left = list(open_.values())
    for new, old in ((new, old) for i, new in enumerate(left) for old in left[:i]):
        if _verdict(new[-1], old[-1]) == "conflicting":
            for some, other in ((old, new), (new, old)):
                out.update((o.id, replace(out[o.id], standing="conflicting", by=other[-1].id)) for o in some)
    return out


def _standing(fact: FactRow) -> str:
    return "current" if fact.modality == "asserted" else fact.modality


def _verdict(new: FactRow, old: FactRow) -> str | None:
    """What a newer fact makes of an older one of the same matter; None: it leaves it."""
    same = alike(new, old)
    if new.modality == _ASSERTED:
        if old.modality not in (_ASSERTED, _PLANNED):
            return None
        if new.sign < 0:
            return "superseded" if old.sign > 0 and (whole(new) or (same and not _part(new, old))) else None
        if old.sign < 0:
            return "superseded" if same else None
        if old.modality == _PLANNED:  # it has come true, or not
            over = new.single and old.valid_from is not None and new.begin > old.valid_from
            return "superseded" if same or new.change or over else None
        if same or not (new.single or by_role(new)) or (_kept(new) and not new.change and new.made_by != HAND):
            return None
        if slot(new.slot).fixed:
            return "superseded" if new.change else "conflicting"
        # Said in the same way, or as a change: then it took the other's place.
        sure = new.change or _way(new) == _way(old) or HAND in (new.made_by, old.made_by)
        return "superseded" if sure or new.made_by.startswith("statement.") else "conflicting"
    if new.modality == _PAST:
        return "superseded" if same and old.modality == _ASSERTED and old.sign > 0 and new.sign > 0 else None
    if new.modality in (_PLANNED, _TEMPORARY) and old.modality == new.modality:
        if same and new.made_by == FOLLOWS:  # it is planned for another time
            return "superseded"
        return "superseded" if new.single and not same and new.sign > 0 else None
    return None


def by_role(fact: FactRow) -> bool:
    """Whether a fact is weighed against others as what its subject has one of at a time, though its slot holds many ("my dentist")."""
    return (
        not fact.single
        and not slot(fact.slot).family
        and fact.matter != f"{fact.slot}\n{fact.sense}"
        and "\n" in fact.matter
    )


def _kept(fact: FactRow) -> bool:
    """Whether only words that tell of a change end the value."""
    return slot(fact.slot).told or by_role(fact)


def _way(fact: FactRow) -> str:
    """The kind of rule that read a fact: "home" for "en.home.live" and "zh.home.move"."""
    return fact.made_by.split(".", 2)[1] if fact.made_by.count(".") > 1 else fact.made_by


def alike(one: FactRow, other: FactRow) -> bool:
    """Whether two values are the same: "Leeds" and "Leeds, UK" are, "3 %" and "4 %" are not."""
    if one.sense == other.sense:
        return True
    if not one.single or _NUMBER.search(one.sense + other.sense):
        return False
    a, b = set(one.sense.split()), set(other.sense.split())
    return a <= b or b <= a


def _part(new: FactRow, old: FactRow) -> bool:
    """Whether a denial is of a part of what was told: who does not live in "Leeds city centre" may live in Leeds."""
    if new.sense == old.sense or not new.single:
        return False
    return not set(sense(new.value.split(",")[0]).split()) <= set(old.sense.split())


def whole(fact: FactRow) -> bool:
    """Whether a denial names no value and so ends any ("I quit my job", "we divorced")."""
    return fact.single and weighing("whole").search(fact.value) is not None


def arrived(row: FactRow, moment: int) -> FactRow:
    """What was agreed for a day, as it holds from its day on ("I start at Mott on 2 November"); any other fact as it is."""
    told = row.modality == _PLANNED and row.single and row.sign > 0 and row.slot in _AGREED
    if not told or row.valid_from is None or not row.at < row.valid_from <= moment:
        return row
    return replace(row, modality=_ASSERTED, change=True, at=row.valid_from, again=())


def partial(row: FactRow) -> bool:
    """Whether a fact denies a thing that may be told by a part of its name ("sold the Yaris")."""
    return row.polarity == "-" and row.modality == _ASSERTED and slot(row.slot).part


def named(row: FactRow, others: Sequence[FactRow]) -> FactRow:
    """A partial denial as that of the one thing which bears all its words; kinds of things ("trip", "flight") count for nothing beside
    others. `others` are current facts of the same slot and subject."""
    words = set(sense(weighing("kind").sub(" ", row.value)).split() or row.sense.split())
    found = [other for other in others if other.sign > 0 and words <= set(other.sense.split())]
    return (
        replace(row, matter=found[0].matter, sense=found[0].sense)
        if len({other.sense for other in found}) == 1
        else row
    )


def settle(row: FactRow, others: Sequence[FactRow]) -> FactRow:
    """A change whose subject is told by other words: "the login port was changed to 49222" is about the one port that is known.

    `others` are the current facts of the same matter, whoever they are about. Taken over only where the words say that it was changed, and
    there is just one other subject.
    """
    subjects = {other.about for other in others}
    return replace(row, about=subjects.pop()) if changed(row) and len(subjects) == 1 and USER not in subjects else row


def changed(row: FactRow) -> bool:
    """Whether a fact says outright that a thing was changed which its subject names ("the login port was changed to 49222")."""
    return row.change and row.single and row.slot in _BARE and row.matter not in _BARE


def grouped(facts: Sequence[FactRow]) -> dict[tuple[str, str], list[FactRow]]:
    """Facts by what they are weighed against."""
    ordered = sorted(facts, key=lambda fact: fact.key)
    return {key: list(some) for key, some in groupby(ordered, key=lambda fact: fact.key)}


def denied(old: FactRow, start: int, end: int, length: int = 0, *, share: float = 0.0) -> FactRow:
    """That a fact no longer holds, as follows from these characters of a text of `length` (or with that share of it)."""
    return replace(
        old, id=0, row=0, start=start, end=end, polarity="-", modality=_ASSERTED, sign=-old.sign, change=True, when=None,
        valid_from=None, valid_to=None, share=(end - start) / length if length else share, made_by=FOLLOWS, at=0,
    )  # fmt: skip
