"""A text read as its words: what sort each is, in which clause it stands, and what the hard atoms bind.

In: a text. Out: a `Reading`: tokens in order, atoms with the tokens they hold and those they bind. A negation binds the verb or thing behind it
and what follows that, a modal word the next one, both the one before too; an amount its noun; a date or a code the nearest word of its clause,
with what makes it a limit; a word of health or danger whose it is and what follows. The tables are `rules/*/refine.toml`. Shortening and
checking share this, so that both always agree.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from zeromem.refine.turning import with_turns
from zeromem.rules import LANGUAGES, expand, table
from zeromem.text.atoms import Atom, atoms
from zeromem.text.words import HAN, TOKEN, fold, tagged, terms

Sort = Literal["word", "function", "empty", "person", "relation"]

_HAN_RUN = re.compile(f"[{HAN}]+")
_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\bvs)[.!?]+(?=[\s\"'”’)\]]|$)|[。！？；]|\n"
)
_BORDER = re.compile(r"[,;:—()\[\]]|\s[-–]+\s|[，：、（）【】]")
ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)、])[ \t]*(?=\S)", re.MULTILINE)
_SOLID = ("url", "email", "identifier", "code", "date", "number")  # no sentence ends inside of them
_BINDS = {"negation": 2, "modal": 1, "safety": 6}  # words behind that an atom binds, at most


class Token(NamedTuple):
    """A word: its place, the form it is compared in, its sort, its clause and sentence by number, and whether the text pads with it."""

    start: int
    end: int
    key: str
    sort: Sort
    clause: int
    sentence: int
    filler: bool


@dataclass(frozen=True, slots=True)
class Held:
    """An atom with the numbers of its tokens and, where it is hard, of those that it binds."""

    atom: Atom
    tokens: tuple[int, ...]
    binds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, its tokens, its atoms, for every sentence whether it asks, and the first tokens of list items."""

    text: str
    tokens: Sequence[Token]
    held: Sequence[Held]
    asks: Sequence[bool]
    items: Sequence[int]

    def bonds(self) -> dict[tuple[str, tuple[str, ...]], Held]:
        """The hard atoms, each with the forms of what it binds; the same said twice is one."""
        found = {}
        for held in self.held:
            if held.atom.hard:
                found[_form(held.atom), tuple(self.tokens[n].key for n in held.binds)] = held
        return found


@lru_cache(512)
def read(text: str) -> Reading:
    """The reading of a text; of the last few hundred texts it is kept."""
    spans = list(_spans(text))
    filler = _marked(text, _padding(text, spans))
    found = with_turns(text, atoms(text))
    hard = _marked(text, [atom.span for atom in found if atom.hard])
    solid = _marked(text, [(atom.span[0] + 1, atom.span[1]) for atom in found if atom.kind in _SOLID])
    tokens: list[Token] = []
    clause = sentence = past = 0
    asks: list[bool] = []
    for start, end in spans:
        word = fold(text[start:end])
        between = "" if solid[start] else text[past:start]
        if tokens and between and (stop := _END.search(text, max(0, past - 1), start)) and stop.end() > past:
            asks.append(_asking(between))
            sentence, clause = sentence + 1, clause + 1
        elif tokens and (_BORDER.search(between) or word in _listed("contrast")):
            clause += 1
        tokens.append(Token(start, end, _key(word), _sort(word), clause, sentence, filler[start] and not hard[start]))
        past = end
    asks.append(_asking(text[past:]))
    starts = [token.start for token in tokens]
    held = tuple(_held(atom, tokens, _within(starts, tokens, atom.span)) for atom in found)
    return Reading(text, tuple(tokens), held, tuple(asks), tuple(_items(text, starts)))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where words stand: compounds whole, Han runs cut by jieba."""
    for match in TOKEN.finditer(text):
        if match.lastgroup != "han":
            yield match.span()
            continue
        place = match.start()
        for word in cut(match[0]):
            yield place, place + len(word)
            place += len(word)


def _padding(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What pads. English phrases are looked for where a word stands that opens one; that is three times as fast as looking everywhere."""
    english, han = _fillers()
    past = 0
    for start, end in spans:
        if start >= past and text[start:end].lower() in _listed("opens") and (match := english.match(text, start)):
            past = match.end()
            yield match.span()
    if _HAN_RUN.search(text):
        yield from (match.span() for match in han.finditer(text))


@cache
def _fillers() -> tuple[re.Pattern[str], ...]:
    patterns = (expand(table(language, "refine")["filler"]["pattern"], {}) for language in LANGUAGES)
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


@lru_cache(16384)
def cut(run: str) -> tuple[str, ...]:
    words = tuple(word for word, _ in tagged(run))
    return words if "".join(words) == run else tuple(run)


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> Sequence[bool]:
    marks = [False] * (len(text) + 1)
    for start, end in spans:
        marks[start:end] = [True] * (end - start)
    return marks


def _asking(between: str) -> bool:
    return "?" in between or "？" in between


def _within(starts: Sequence[int], tokens: Sequence[Token], span: tuple[int, int]) -> tuple[int, ...]:
    first = bisect_left(starts, span[0])
    if first and tokens[first - 1].end > span[0]:
        first -= 1
    last = bisect_left(starts, span[1])
    return tuple(range(first, last))


def _held(atom: Atom, tokens: Sequence[Token], own: tuple[int, ...]) -> Held:
    return Held(atom, own, _bound(atom, tokens, own) if atom.hard and own else ())


_UNIT = re.compile(
    rf"^\D*\d[\d.,:/-]*\s?[^\W\d_]|[%$€£¥]|[{HAN}]{{2}}"
)  # an amount with a unit tells by what is before it


def _bound(atom: Atom, tokens: Sequence[Token], own: tuple[int, ...]) -> tuple[int, ...]:
    clause, sentence = tokens[own[-1]].clause, tokens[own[-1]].sentence
    behind: list[int] = []
    most = len(tokens) if fold(atom.text) in _listed("conditions") else _BINDS.get(atom.kind, 1)
    for n in range(own[-1] + 1, len(tokens)):
        token = tokens[n]
        if token.sentence != sentence or (token.clause != clause and atom.kind != "safety"):
            break
        if token.sort == "word":
            behind.append(n)
        if len(behind) == most:
            break
    if not behind and atom.kind in _BINDS and own[-1] + 1 < len(tokens) and tokens[own[-1] + 1].clause == clause:
        behind.append(own[-1] + 1)  # "without them", "I don't either"
    ahead = _before(tokens, own[0], 4 if atom.kind == "safety" else 1, persons=atom.kind in _BINDS)
    if atom.kind in _BINDS:
        return (*ahead, *behind)
    bare = atom.kind == "number" and not _UNIT.search(atom.text)
    bound = tuple(behind) if bare and behind else ahead or tuple(behind)
    return tuple(sorted({*bound, *_limits(tokens, own)})) if atom.kind in ("date", "number") else bound


@cache
def _limiting() -> frozenset[str]:
    return frozenset(map(_key, _listed("limits")))


def _limits(tokens: Sequence[Token], own: tuple[int, ...]) -> Iterator[int]:
    """What makes a time or an amount a limit: before, until, more than, 以内."""
    if (before := own[0] - 1) >= 0 and tokens[before].key in _limiting():
        yield before
        if tokens[before].key == "than" and before:
            yield before - 1
    if (
        (behind := own[-1] + 1) < len(tokens)
        and tokens[behind].key in _limiting()
        and _HAN_RUN.match(tokens[behind].key)
    ):
        yield behind


def _before(tokens: Sequence[Token], first: int, most: int, *, persons: bool) -> tuple[int, ...]:
    """The nearest words before a token in its clause, persons among them or not."""
    found: list[int] = []
    for n in range(first - 1, -1, -1):
        if tokens[n].clause != tokens[first].clause or len(found) == most:
            break
        if tokens[n].sort == "word" or (persons and tokens[n].sort == "person"):
            found.insert(0, n)
    return tuple(found)


def _items(text: str, starts: Sequence[int]) -> Iterator[int]:
    for match in ITEM.finditer(text):
        first = bisect_left(starts, match.end())
        if first < len(starts):
            yield first


_NOT = re.compile(
    r"(?:not|cannot|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|could|would|should|must|need|might|ai)n['’]?t)$"
)


def _form(atom: Atom) -> str:
    """How atoms are compared: not in all its forms is one, numbers without their commas."""
    form = re.sub(r"\s+", " ", fold(atom.text))
    if atom.kind == "modal":
        form = " ".join(map(_key, form.split()))
    if atom.kind == "negation" and _NOT.match(form):
        return "not"
    return re.sub(r"(?<=\d),(?=\d)", "", form)


_PERSON = re.compile(r"(i|you|he|she|we|they)['’](?:m|re|ve|ll|d|s)$")


def turns(text: str) -> frozenset[str]:
    """What turns the words of a text, in the form in which it is compared: denials, endings, wishes, limits, conditions."""
    return frozenset(
        _form(held.atom) for held in read(text).held if held.atom.hard and held.atom.kind in ("negation", "modal")
    )


_CHANGED = re.compile("[改换变调停戒退卖辞](?:为|成|到|掉|了|止)$")  # 改为 is 改成
_OWNS = re.compile(r"[^\W\d_]['’]s$")


@lru_cache(65536)
def _key(word: str) -> str:
    if _NOT.match(word):
        return "not"
    if _CHANGED.match(word):
        return word[0]
    if _OWNS.search(word) and _sort(word) == "word":  # Mum's is not Mum
        return (terms(word[:-2]) or [word])[0] + "’s"
    return (terms(_PERSON.sub(r"\1", word)) or [word])[0]


@lru_cache(65536)
def _sort(word: str) -> Sort:
    bare = _PERSON.sub(r"\1", word).replace("'", "").replace("’", "")
    for sort in ("person", "relation", "empty", "function"):
        if bare in _listed({"person": "persons", "relation": "relations"}.get(sort, sort)):
            return sort
    return "word"


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(
        word for lang in LANGUAGES for line in table(lang, "refine")["words"][name] for word in line.split()
    )


def is_common(word: str) -> bool:
    """Whether a word (in the form of a key) is said everywhere, so that it says little anywhere."""
    return word in _commons()


def is_marker(word: str) -> bool:
    """Whether a word (a key), where it stands in what pads, only marks the talk: by the way, I mean."""
    return word in _markers()


def is_light(word: str) -> bool:
    """Whether a word (a key) weighs nothing, so that a sentence says the same without it."""
    return word in _lights()


@cache
def _lights() -> frozenset[str]:
    return frozenset(map(_key, _listed("light")))


@cache
def _markers() -> frozenset[str]:
    return frozenset(map(_key, _listed("markers")))


@cache
def _commons() -> frozenset[str]:
    return frozenset(_key(word) for word in _listed("common"))


def acts(reading: Reading, name: Sequence[int]) -> bool:
    """Whether a name opens a clause or what `and` and the like join, so that what follows is told of its bearer."""
    if not any(reading.tokens[n].sort == "word" for n in name):
        return False
    before = name[0] - 1
    return (
        before < 0
        or reading.tokens[before].clause != reading.tokens[name[0]].clause
        or reading.tokens[before].key in _JOIN
    )


_JOIN = frozenset(("and", "or", "but", "that", "then", "because", "while", "和", "跟", "与", "而", "但", "但是", "也"))


def line_end(reading: Reading, first: int) -> int:
    """The number of the first token behind the line of token `first`."""
    line = reading.text.find("\n", reading.tokens[first].start)
    return len(reading.tokens) if line < 0 else bisect_right(reading.tokens, line, key=lambda token: token.start)
