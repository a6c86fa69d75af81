"""The measures, exactly as the data folder's README defines them. Pure: no memory, no model, no files.

In: what a ranking or a context holds, and the gold ids. Out: shares between 0 and 1. The words of a text are those of
`zeromem.text.words`, its atoms those of `zeromem.text.atoms`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from zeromem.text.atoms import atoms
from zeromem.text.words import content, terms

WITHIN_CARD = 0.60  # of a turn's content words that must stand in a card made of several turns
WITHIN_CONTEXT = 0.70  # of a shortened turn's idf-weighted content words that must stand in the context
DEPTHS = (5, 10)


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a ranking: the turns that it is credited with, and how many ranks it takes."""

    turns: tuple[str, ...]
    ranks: int = 1


def place(card_text: str, sources: Mapping[str, str]) -> Place:
    """The place of a card with these source turns (id → text).

    One text, said once or often, takes one rank and credits every turn that said it. A card of several texts credits those
    that it still holds, one rank each.
    """
    if len({folded(text) for text in sources.values()}) <= 1:
        return Place(tuple(sources))
    kept = {id_: text for id_, text in sources.items() if holds(card_text, text)}
    return Place(tuple(kept), max(1, len({folded(text) for text in kept.values()})))


def holds(card_text: str, turn_text: str) -> bool:
    """Whether a card made of several turns still says this one."""
    card = folded(card_text)
    if folded(turn_text) in card:
        return True
    there = set(terms(card_text))
    words = set(content(terms(turn_text)))
    enough = sum(word in there for word in words) >= WITHIN_CARD * len(words)
    return enough and all(folded(atom.text) in card for atom in atoms(turn_text))


def ranks(places: Iterable[Place]) -> dict[str, int]:
    """The rank of each turn, from 1: that of its best place."""
    found: dict[str, int] = {}
    rank = 1
    for item in places:
        for turn in item.turns:
            found.setdefault(turn, rank)
        rank += item.ranks
    return found


def session_ranks(places: Iterable[Place], session_of: Mapping[str, str]) -> dict[str, int]:
    """The rank of each session among sessions, from 1: in the order of their best turns."""
    found: dict[str, int] = {}
    for item in places:
        for turn in item.turns:
            found.setdefault(session_of[turn], len(found) + 1)
    return found


def any_at(found: Mapping[str, int], gold: Iterable[str], k: int) -> float:
    return float(any(found.get(id_, k + 1) <= k for id_ in gold))


def all_at(found: Mapping[str, int], gold: Iterable[str], k: int) -> float:
    return float(all(found.get(id_, k + 1) <= k for id_ in gold))


def frac_at(found: Mapping[str, int], gold: Iterable[str], k: int) -> float:
    return fmean(float(found.get(id_, k + 1) <= k) for id_ in gold)


def at_depths(found: Mapping[str, int], gold: Iterable[str], prefix: str = "") -> dict[str, float]:
    """any, all and frac at every depth."""
    gold = list(gold)
    measures: tuple[tuple[str, Callable[..., float]], ...] = (("any", any_at), ("all", all_at), ("frac", frac_at))
    return {f"{prefix}{name}@{k}": measure(found, gold, k) for name, measure in measures for k in DEPTHS}


def idf(texts: Iterable[str]) -> dict[str, float]:
    """Inverse document frequency of every word in a scope."""
    held = [set(terms(text)) for text in texts]
    counts = Counter(word for words in held for word in words)
    return {word: math.log1p((len(held) - n + 0.5) / (n + 0.5)) for word, n in counts.items()}


def survives(shown: str, turn_text: str, weights: Mapping[str, float]) -> bool:
    """Whether a turn stands in a shown text: whole, or shortened with all its atoms and enough of its content words."""
    text = folded(shown)
    if folded(turn_text) in text:
        return True
    there = set(terms(shown))
    words = set(content(terms(turn_text)))
    total = sum(weights.get(word, 0.0) for word in words)
    kept = sum(weights.get(word, 0.0) for word in words if word in there)
    return kept >= WITHIN_CONTEXT * total and all(folded(atom.text) in text for atom in atoms(turn_text))


_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")


def folded(text: str) -> str:
    """How two texts are compared: NFKC, no case, white space folded, a context's escapes undone."""
    plain = _CONTROL.sub(" ", text.replace("&lt;", "<").replace("[m :", "[m:"))
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", plain).casefold()).strip()


_LINE = re.compile(r"^\[m:([^\[\]\s]+)\] ?", re.MULTILINE)
_END = re.compile(r"^(?:## |</memory>)", re.MULTILINE)


def shown_by_pointer(context: str) -> dict[str, str]:
    """What a context shows for each pointer: from its line to the next pointer or heading."""
    starts = list(_LINE.finditer(context))
    out: dict[str, str] = {}
    for i, match in enumerate(starts):
        end = starts[i + 1].start() if i + 1 < len(starts) else len(context)
        closed = _END.search(context, match.end(), end)
        text = context[match.end() : closed.start() if closed else end]
        out[match[1]] = out.get(match[1], "") + text
    return out


def mean_of(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every key over the rows that have it, rounded for print."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: round(fmean(row[key] for row in rows if key in row), 4) for key in keys}


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50 and p95."""
    ordered = sorted(milliseconds)
    if not ordered:
        return {}
    return {f"p{p}": round(ordered[min(len(ordered) - 1, math.ceil(p / 100 * len(ordered)) - 1)], 2) for p in (50, 95)}
