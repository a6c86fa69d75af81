"""Finds what an assistant only says again: "Noted: you live in Bath", 好的，我记下了：你住在杭州.

In: a draft of an assistant's message, and the store. Out: the card that it restates, or None. It restates a card where, said by the user, it
would be the same words, or state nothing but facts that the user's cards state, with no number or name beside them. Such a turn is kept as
an event; a card of it would only stand beside what it repeats, and go on saying it when that no longer holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from zeromem.encode.cards import Draft
from zeromem.encode.digests import digest
from zeromem.encode.stated import claims_of
from zeromem.facts import USER, Claim
from zeromem.ports import Store
from zeromem.route import about, filed
from zeromem.rules import table
from zeromem.text.noise import classify
from zeromem.text.segment import sentences
from zeromem.text.times import find, parse_time
from zeromem.text.words import content, identifiers, is_stop, names, terms
from zeromem.types import Card, Scope

_LONGEST = 300  # characters; longer ones say something of their own
_BESIDE = 1  # words of topic that may stand beside what the card says: "you live in" for "I moved to"
_DIGIT = re.compile(r"\d")


def restated(store: Store, scope: Scope, draft: Draft, at: str) -> Card | None:
    """The card that a draft only says again; None for what says anything more, or is no assistant's."""
    if draft.role != "assistant" or draft.kind != "message" or len(draft.text) > _LONGEST:
        return None
    text = echoed(draft.text)
    if not text:
        return None
    keys = [digest("message", USER, None, words) for words in (text, text[0].upper() + text[1:])]
    told = store.same(keys, scope.without_session())
    if told:
        return next(iter(told.values()))
    claims = claims_of("message", USER, None, text)
    if not claims or _uncovered(text, claims):
        return None
    cards = [_source(store, scope, claim, text, at) for claim in claims]
    said = set(terms(" ".join(card.text for card in cards if card is not None)))
    beside = [term for term in content(terms(text)) if term not in said]
    exact = [*names(text), *identifiers(text), *(span.text for span in find(text, parse_time(at)))]
    new = len(beside) > _BESIDE or any(_DIGIT.search(term) for term in beside) or set(terms(" ".join(exact))) - said
    return cards[0] if all(cards) and not new else None


@lru_cache(256)
def echoed(text: str) -> str:
    """What an assistant's message says, as the user would say it; "" where it asks, says something of its own, or does not say that it
    repeats (no "noted", no "you")."""
    out, repeats = [], False
    for start, end in sentences(text):
        sentence = text[start:end]
        language = "zh" if any("\u4e00" <= c <= "\u9fff" for c in sentence) else "en"
        lead, own, swaps = _patterns(language)
        rest = lead.sub("", sentence, count=1).strip()
        if not rest or classify(sentence):
            continue
        if own.search(rest) or rest.endswith(("?", "？")):
            return ""
        for pattern, other in swaps:
            rest = pattern.sub(other, rest)
        repeats |= rest != sentence.strip()
        out.append(rest)
    return " ".join(out) if repeats else ""


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str], Sequence[tuple[re.Pattern[str], str]]]:
    rules = table(language, "echoes")
    swaps = [(re.compile(pattern, re.IGNORECASE), other) for pattern, other in rules["swaps"]]
    return re.compile(rules["lead"], re.IGNORECASE), re.compile(rules["own"], re.IGNORECASE), swaps


def _uncovered(text: str, claims: Sequence[Claim]) -> bool:
    """Whether words of topic stand outside the clauses that state something."""
    rest = "".join(" " if any(c.start <= i < c.end for c in claims) else sign for i, sign in enumerate(text))
    return any(not is_stop(term) for term in terms(rest))


def _source(store: Store, scope: Scope, claim: Claim, text: str, at: str) -> Card | None:
    """The newest of the user's cards that state the very same of themselves, or of the same other."""
    row = filed(claim, None, parse_time(at), text)
    facts = [
        f
        for f in store.facts_on(scope, row.matter, None)
        if (f.sense, f.sign, f.modality, f.valid_from) == (row.sense, row.sign, row.modality, row.valid_from)
    ]
    cards = store.cards([fact.row for fact in facts])
    for fact in sorted(facts, key=lambda fact: fact.row, reverse=True):
        card = cards.get(fact.row)
        themselves = about(card.speaker) if card is not None and card.speaker else USER
        if card is not None and fact.about == (themselves if row.about == USER else row.about):
            return card
    return None
