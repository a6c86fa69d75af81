"""Understands the question: its words and their weight in this scope, language, names, quotations, identifiers and times.

In: the question and when it is asked. Out: `question`. Rules only; a word's weight is its rarity within the scope, so that
another scope's text never changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

import numpy as np

from zeromem.clock import local
from zeromem.facts import USER, FactRow
from zeromem.kinds import slot as kind
from zeromem.recall.relations import Chain, chains, named_at
from zeromem.recall.state import Question, Recall
from zeromem.route import about
from zeromem.rules import spoken, table
from zeromem.structures.linear import main_speakers, rarity
from zeromem.structures.snapshot import Snapshot
from zeromem.text.segment import count_words, sentences
from zeromem.text.times import find
from zeromem.text.words import content, fold, hashes, identifiers, is_stop, language, names, quoted, terms

_MOST = 20_000  # characters at the end of a message that are looked at
_FEW = {"allergy", "illness", "medication", "diet", "language", "format_wish"}  # who asks for one of these asks for all
_MEANT = 2  # names at the end of a chain whose words are looked for too
_LONG = 60  # words; of a longer message the sentences that ask count, and the last ones


def understand(recall: Recall) -> Recall:
    """Fill in the question. Words of topic count; if there are none, all words do."""
    text = focus(recall.query)
    found = terms(text)
    topical = content(found) or found
    spoken_to = main_speakers(recall.snapshot)
    me = (USER, *asker(recall.snapshot)) if recall.facts.matters else (USER,)
    followed = _followed(recall, found, me)
    asked = _asked([term for term in topical if term not in spoken_to] or topical, found, followed)
    numbers = hashes(asked)
    weights = rarity(recall.snapshot, [int(number) for number in numbers])
    question = Question(
        text, tuple(found), tuple(asked), tuple(int(n) for n in numbers), tuple(float(w) for w in weights), language(text),
        tuple(names(text)), tuple(quoted(text)), tuple(identifiers(text)), find(text, recall.now),
        wide(text), overview(text), personal(text),
    )  # fmt: skip
    question = replace(
        question, open=_open(question), recap=_recap(question), past=past(text), me=me, whom=_whom(recall, replace(question, me=me), followed),
        steps=sum(len(chain.steps) for chain in followed),
    )  # fmt: skip
    bare = _bare(question)
    several = question.wide or any(slot in _FEW for _, some in question.whom for slot in some)
    question = replace(question, bare=bare, lists=bare and several)
    detail = {
        "terms": {term: round(weight, 2) for term, weight in zip(asked, question.weights, strict=True)},
        "names": question.names,
        "whom": [name for name, _ in question.whom],
        "times": [f"{span.text}: {_day(span.start, recall)}…{_day(span.end, recall)}" for span in question.times],
    }
    known = int(np.count_nonzero(weights))
    return replace(recall, question=question, note=f"{known} of {len(asked)} words known in this scope", detail=detail)


def _asked(topical: Sequence[str], words: Sequence[str], followed: Sequence[Chain]) -> list[str]:
    """The words that are looked for: of "what did Ana's brother order" Ben's name, and no longer Ana's, of whom it asks nothing."""
    chained = [chain for chain in followed if len(chain.names) <= _MEANT]
    meant = [term for chain in chained for name in chain.names for term in name.split()]
    passed = {word for chain in chained for word in words[chain.start : chain.base] if words.count(word) == 1}
    return list(dict.fromkeys([*(term for term in topical if term not in passed), *meant]))


def _day(moment: datetime, recall: Recall) -> str:
    """The day as the one who asks names it."""
    return f"{local(moment, recall.now.tzinfo):%Y-%m-%d}"


def focus(text: str) -> str:
    """What a long message asks: each sentence once; of more than 60 words the questions first, then the end."""
    if len(text) < 2 * _LONG:
        return text
    told = list(dict.fromkeys(text[start:end].strip() for start, end in sentences(text[-_MOST:])))
    kept: list[int] = []
    room = float(_LONG)
    for i in sorted(range(len(told)), key=lambda i: (not told[i].endswith(("?", "？")), -i)):
        if room <= 0:
            break
        kept.append(i)
        room -= count_words(told[i])
    return " ".join(told[i] for i in sorted(kept)) or text


def wide(text: str) -> bool:
    """Whether a question asks for many things ("which books", "哪些") rather than one."""
    return _formed(text, "wide")


def overview(text: str) -> bool:
    """Whether a question asks what something comes to ("summarise the project", "我们聊了什么") rather than for single things of it."""
    return _formed(text, "overview")


def personal(text: str) -> bool:
    """Whether a question asks about the one who speaks ("my dentist", "我的航班") rather than about the world."""
    return _formed(text, "personal")


def _asks(folded: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for spoken_in in spoken(folded):
        yield from _asks_in(spoken_in)


@cache
def _asks_in(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((slot, re.compile(pattern)) for slot, pattern in table(language, "asks")["slots"].items())


def asked_slots(text: str) -> tuple[str, ...]:
    """The slots of facts that a question asks for ("where do I live": home)."""
    folded = fold(text)
    return tuple(dict.fromkeys(slot for slot, pattern in _asks(folded) if pattern.search(folded)))


def _whom(recall: Recall, question: Question, found: Sequence[Chain]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Whom the question is about, of those whom facts are known of, and in which slots.

    "Where does my sister live" asks of the one who asks only who the sister is, and of her where she lives.
    """
    known = recall.facts.matters
    if not known:
        return ()
    words, slots = question.words, asked_slots(question.text)
    people = tuple(slot for slot in slots if kind(slot).person)
    rest = tuple(slot for slot in slots if slot not in people)
    out: dict[str, tuple[str, ...]] = {}
    for me in question.me if question.personal else ():
        out[me] = people or slots
        out |= {about(fact.value): rest for fact in recall.facts.of(me, people)} if not found else {}
    out |= {name: slots for i in range(len(words)) for name, _ in named_at(known, words, i)}
    for chain in found:
        out |= dict.fromkeys(chain.names, rest)
    for name, slot in (step for chain in found for step in chain.steps):
        out[name] = (slot,)
    return tuple((name, some) for name, some in out.items() if name in known)


def _followed(recall: Recall, words: Sequence[str], me: Sequence[str]) -> list[Chain]:
    """The relations that the question follows from one to the next."""

    def clause(fact: FactRow) -> str:
        cards = recall.fetch([int(position) for position in recall.snapshot.positions([fact.row])])
        return next((card.source[fact.start : fact.end] for card in cards.values()), "")

    return chains(recall.facts, words, me, clause) if recall.facts.matters else []


def asker(snapshot: Snapshot) -> tuple[str, ...]:
    """The name under which the user speaks, as a subject; nothing where several do."""
    columns = snapshot.columns
    spoken = np.flatnonzero(np.bincount(columns.speaker[snapshot.alive & (columns.role == snapshot.code(USER))]))
    if len(spoken) > 2:
        return ()
    names = [name for name, code in snapshot.names.items() if code in spoken and name != USER]
    return (about(names[0]),) if len(names) == 1 else ()


def _bare(question: Question) -> bool:
    """Whether a question asks for values of slots of facts and for nothing else ("which languages do I speak", 我住在哪里)."""
    asked = {slot for _, some in question.whom for slot in some}
    if not asked:
        return False
    rest = fold(question.text)
    for slot, pattern in _asks(rest):
        rest = pattern.sub(" ", rest) if slot in asked else rest
    named = {word for name, _ in question.whom for word in name.split()}
    return not _topics(set(terms(rest)) - named, ("asks", "listed"), ("questions", "open"))


def past(text: str) -> bool:
    """Whether a question asks how things were ("where did I live before", "我以前") rather than how they are."""
    return _formed(text, "past")


def _open(question: Question) -> bool:
    """Whether a question has no topic but a time or the one who asks: "what did we talk about in May", "what do you know about me"."""
    in_time = {term for span in question.times for term in terms(span.text)}
    topic = _topics(set(question.words) - in_time, ("questions", "open"))
    return not topic and bool(question.times or (question.wide and question.personal))


def _recap(question: Question) -> bool:
    """Whether a question for an overview names no topic: "what did we talk about last time", 总结一下."""
    in_time = {term for span in question.times for term in terms(span.text)}
    return question.overview and not _topics(
        set(question.words) - in_time, ("questions", "open"), ("questions", "recap")
    )


def _topics(words: set[str], *lists: tuple[str, str]) -> set[str]:
    """Those that are no stop words and stand in none of the lists, each a table and its section."""
    plain = {word for word in words if not is_stop(word)}
    return {
        word for word in plain if not any(word in _listed(language, *one) for language in spoken(word) for one in lists)
    }


@cache
def _listed(language: str, name: str, section: str) -> frozenset[str]:
    return frozenset(terms(table(language, name)[section]["words"]))


def _formed(text: str, form: str) -> bool:
    folded = fold(text)
    return any(pattern.search(folded) for language in spoken(folded) for pattern in _patterns(language, form))


@cache
def _patterns(language: str, form: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rule) for rule in table(language, "questions")[form]["patterns"])
