"""Shortens texts by rules: what pads goes first, then what carries grammar, then the words that say least.

In: a text, the characters it may keep, how rare words are in its scope. Out: a shorter text of the same words in the same order. Hard atoms
and what they bind always stay, and so do names, quotes and code, each once; that is the least a text can be. `allot` shares out the
characters of a whole scope: a word is worth most where nothing near says it too. Linear in the length of the texts, no randomness.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from zeromem.refine.reading import Reading, acts, is_common, is_light, is_marker, line_end, read
from zeromem.refine.wording import Unit, render
from zeromem.text.hard import idle_phrase
from zeromem.text.segment import Span
from zeromem.text.words import HAN, fold, is_stop

Weigh = Callable[[str], float]

# What a word that is said again in its group (a session), and anywhere in the scope, is worth of the time before: flat from .3 to .5 and .65 to
# .9 on longmemeval and realmem.
_AGAIN_NEAR, _AGAIN = 0.3, 0.8
_PASSES, _MARK = 4, 0.5  # characters that marks between sentences take, a word
_FURTHEST = 6  # repeats from which on one more makes no difference
# Factors by the look and place of a word; both signs and sizes are where fits to answers of longmemeval and memories of realmem agree.
_COMMON, _ASKED, _ACT, _MANNER, _GOING, _PADDING = 0.5, 0.55, 0.6, 0.6, 0.8, 0.15
# What a phrase is worth at least that seems to deny nothing: the table may be wrong about it, so it stays while there is room.
_IDLE, _BENDS = 0.1, ("negation", "modal")
_MANNERS, _GOINGS = re.compile(r"[a-z]{3,}ly$"), re.compile(r"[a-z]{2,}ing$")
_FIRST = frozenset(("i", "we"))
_STRONG, _FUNCTION, _REPEAT, _EMPTY, _FILLER = -0.4, -1.0, -2.0, -3.0, -4.0


@dataclass(frozen=True, slots=True)
class Part:
    """What a text of a scope may keep: its characters, and the weights of its own words where they differ from the scope's."""

    most: int
    weights: Mapping[str, float] = field(default_factory=dict)

    def weigh(self, word: str) -> float:
        """The weight of a word in this text, for `shorten`; 1 for a word that the text does not have."""
        return self.weights.get(word, 1.0)


def shorten(text: str, most: int, *, weigh: Weigh | None = None, keep: Sequence[Span] = (), light: bool = False) -> str:
    """The text in at most `most` characters, or as few as its hard atoms, names, quotes and code allow where that is more.

    `weigh` gives the rarity of a word, in the form of `terms`, above 0; without it all words weigh alike. A text that is short enough
    comes back as it is, and so does a result that fits. Words in the spans of `keep` stay, as hard atoms do; with `light` all
    stay but those that weigh nothing and what pads, so that every sentence says what it said.
    """
    return (
        text if len(text) <= most else _shorter(text, most, weigh or _alike, [(0, len(text))] if light else keep, light)
    )


def allot(
    texts: Sequence[str],
    share: float,
    *,
    weigh: Weigh | None = None,
    groups: Sequence[Hashable] | None = None,
    keeps: Sequence[Sequence[Span]] | None = None,
) -> list[Part]:
    """How much each text of a scope keeps so that all together keep `share` of their characters, as nearly as their atoms allow.

    `groups` says which texts stand near each other (by session): a word that one of them says is worth less in the next. Then
    `shorten(texts[i], parts[i].most, weigh=parts[i].weigh, keep=keeps[i])`. Raises ValueError unless every text has a group.
    """
    weigh = weigh or _alike
    near = list(range(len(texts))) if groups is None else list(groups)
    if len(near) != len(texts):
        raise ValueError(f"groups must name one group for each of {len(texts)} texts, not {len(near)}")
    readings = [read.__wrapped__(text) for text in texts]
    weights = _discounted(readings, weigh, near)
    wanted = [()] * len(texts) if keeps is None else keeps
    units = [_units(*one) for one in zip(readings, (held.__getitem__ for held in weights), wanted, strict=True)]
    kept = [[unit for unit in some if unit.needed] for some in units]
    free = sorted(
        ((unit.value, n, i) for n, some in enumerate(units) for i, unit in enumerate(some) if not unit.needed),
        key=lambda entry: (-entry[0], entry[1], entry[2]),
    )
    target, at = share * sum(map(len, texts)), 0
    sizes = list(map(len, map(render, readings, kept)))
    for _ in range(
        _PASSES
    ):  # what is taken is counted a little too high; the true lengths then leave room for some more
        room, changed = target - sum(sizes), set()
        while at < len(free) and (room := room - _MARK - units[free[at][1]][free[at][2]].cost) >= 0:
            changed.add(free[at][1])
            kept[free[at][1]].append(units[free[at][1]][free[at][2]])
            at += 1
        for n in changed:
            whole = len(kept[n]) == len(units[n])
            sizes[n] = (
                len(texts[n]) if whole else len(render(readings[n], sorted(kept[n], key=lambda unit: unit.start)))
            )
    return [Part(size, held) for size, held in zip(sizes, weights, strict=True)]


def _alike(_: str) -> float:
    return 1.0


def _discounted(readings: Sequence[Reading], weigh: Weigh, groups: Sequence[Hashable]) -> list[dict[str, float]]:
    """The weights of each text's words: the more of its group and scope say a word, the less the next one's is worth."""
    sizes = [sum(token.sort == "word" for token in reading.tokens) for reading in readings]
    places: dict[str, list[int]] = defaultdict(list)
    for n, reading in enumerate(readings):
        for key in {token.key for token in reading.tokens if token.sort == "word"}:
            places[key].append(n)
    out: list[dict[str, float]] = [{} for _ in readings]
    for key, found in places.items():
        base = weigh(key)
        near: dict[Hashable, int] = defaultdict(int)
        ranked = []
        for n in sorted(found, key=lambda n: (-sizes[n], n)):
            ranked.append((_AGAIN_NEAR ** near[groups[n]], n))
            near[groups[n]] += 1
        for rank, (factor, n) in enumerate(sorted(ranked, key=lambda pair: (-pair[0], -sizes[pair[1]], pair[1]))):
            out[n][key] = base * (factor * _AGAIN ** min(rank, _FURTHEST)) ** 2
    return out


def _shorter(text: str, most: int, weigh: Weigh, keep: Sequence[Span], light: bool) -> str:
    reading = read(text)
    units = _units(reading, weigh, keep, light)
    kept = [unit for unit in units if unit.needed]
    free = sorted((unit for unit in units if not unit.needed), key=lambda unit: (-unit.value, unit.start))
    room = most + 1 - sum(unit.cost for unit in kept)
    count = 0
    for unit in free:  # a first guess by what words cost with a space behind
        room -= unit.cost
        if room < 0:
            break
        count += 1
    while True:  # then by the true length, which marks between sentences make longer and spaces that go make shorter
        shorter = render(reading, sorted([*kept, *free[:count]], key=lambda unit: unit.start))
        over = len(shorter) - most
        if over <= 0 or count == 0:
            return shorter if len(shorter) < len(text) else text
        while over > 0 and count:
            count -= 1
            over -= free[count].cost


def _units(reading: Reading, weigh: Weigh, keep: Sequence[Span], light: bool = False) -> list[Unit]:
    """The units of a text in order, each with its value."""
    needed = _needed(reading)
    turned = {
        tokens.key
        for held in reading.held
        if held.atom.hard and held.atom.kind in _BENDS
        for tokens in map(reading.tokens.__getitem__, held.binds)
    }
    needed.update(
        n for n, token in enumerate(reading.tokens) if token.sort == "word" and token.key in turned
    )  # 没及格 … 及格
    for n, token in enumerate(reading.tokens):
        weighs = not light or not (token.filler or is_light(token.key))
        if weighs and any(token.start < end and start < token.end for start, end in keep):
            needed.add(n)
    spans = _joined(reading)
    tokens = reading.tokens
    idle = {n for held in reading.held if held.atom.kind in _BENDS and not held.atom.hard for n in held.tokens}
    seen: set[str] = set()
    worth: dict[int, list[float]] = defaultdict(list)
    rows: list[tuple[int, int, int, int, float, bool]] = []
    at = 0
    for start, end in spans:
        first = at
        while at < len(tokens) and tokens[at].start < end:
            at += 1
        if first == at:
            continue
        value = _value(reading, first, weigh, seen)
        seen.add(tokens[first].key)
        for n in range(first + 1, at):
            value = max(value, _value(reading, n, weigh, seen))
            seen.add(tokens[n].key)
        if not idle.isdisjoint(range(first, at)):
            value = max(value, _IDLE)
        if value > 0:
            worth[tokens[first].clause].append(value)
        rows.append((start, end, first, tokens[at - 1].clause, value, not needed.isdisjoint(range(first, at))))
    out = []
    for start, end, first, after, value, wanted in rows:
        token = tokens[first]
        if value <= 0:  # grammar goes with its clause: that of the clause which says most stays longest
            held = worth.get(token.clause)
            value += math.tanh(sum(held) / len(held)) / 2 if held else 0.0
        out.append(Unit(start, end, token.key, token.clause, after, token.sentence, value, wanted))
    if out and not any(unit.needed for unit in out):  # no text becomes nothing
        best = max(range(len(out)), key=lambda n: (out[n].value, -n))
        out[best] = replace(out[best], needed=True)
    return out


def _value(reading: Reading, n: int, weigh: Weigh, seen: set[str]) -> float:
    token = reading.tokens[n]
    if token.sort != "word":
        if token.filler:
            return _FILLER
        return _FUNCTION if token.sort != "empty" else _EMPTY if is_stop(token.key) else _STRONG
    if token.key in seen:
        return _REPEAT
    value = math.sqrt(max(1e-9, weigh(token.key)) / (token.end - token.start + 1)) * _looks(
        reading.text[token.start : token.end]
    )
    if token.filler:
        if is_marker(token.key):
            return _EMPTY
        value *= _PADDING
    if is_common(token.key):
        value *= _COMMON
    if reading.asks[token.sentence]:
        value *= _ASKED
    if n and reading.tokens[n - 1].key in _FIRST:
        value *= _ACT
    return value


@lru_cache(65536)
def _looks(word: str) -> float:
    return (_MANNER if _MANNERS.match(word) else 1.0) * (_GOING if _GOINGS.match(word) else 1.0)


def _needed(reading: Reading) -> set[int]:
    """Tokens that may not go: those of atoms, each once if soft, what hard ones bind, and one word of every list item."""
    needed: set[int] = set()
    soft: set[str] = set()
    for held in reading.held:
        if held.atom.hard:
            needed.update(held.tokens, held.binds)
        elif held.atom.kind in ("name", "quote", "code") and (
            fold(held.atom.text) not in soft or acts(reading, held.tokens)
        ):
            soft.add(fold(held.atom.text))
            needed.update(held.tokens)
    for first in reading.items:
        line = range(first, line_end(reading, first))
        words = [n for n in line if reading.tokens[n].sort == "word"]
        if words and not needed.intersection(words):
            needed.add(max(words, key=lambda n: (reading.tokens[n].end - reading.tokens[n].start, -n)))
    return needed


def _joined(reading: Reading) -> list[tuple[int, int]]:
    """Spans of the units: tokens, and atoms with all that they touch."""
    spans = [(token.start, token.end) for token in reading.tokens]
    for held in reading.held:
        idle = (
            held.atom.kind in ("negation", "modal") and not held.atom.hard
        )  # half of such a phrase would deny something
        phrase = idle_phrase(reading.text, held.atom.span[0]) if idle else None
        spans += [phrase or held.atom.span] if held.tokens else []
    out: list[tuple[int, int]] = []
    spans += _wholes(reading)
    for start, end in sorted(spans):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


_AUXILIARY = frozenset(
    ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "should", "must", "may", "might")
)  # fmt: skip


def _wholes(reading: Reading) -> list[tuple[int, int]]:
    """What is said in one breath: "do not"; Han characters that stand alone side by side, mostly a name that no dictionary has."""
    out = []
    for before, token in pairwise(reading.tokens):
        near = reading.text[before.end : token.start].isspace() or before.end == token.start
        if near and token.key == "not" and reading.text[before.start : before.end].casefold() in _AUXILIARY:
            out.append((before.start, token.end))
        alone = before.end == token.start and before.end - before.start == token.end - token.start == 1
        if alone and "word" in (before.sort, token.sort) and _LONE.fullmatch(reading.text, before.start, token.end):
            out.append((before.start, token.end))
    return out


_LONE = re.compile(f"[{HAN}]{{2}}")
