"""Checks a new wording against its source: what was kept, what was lost, what was put in. The judge of rules and of language models alike.

In: the source and the new text. Out: a `Loss`; `ok` only if every hard atom stands and binds the same words, nine tenths of the others stand,
and the text says nothing that its source does not: no new word (grammar aside), number, name or negation, no word in another order within a
sentence, no person left out between the words of two, no question told as a statement. It compares words, not meanings: a good paraphrase is
refused too, and then the source stays. Linear in the length of both texts but for words that are said very often.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from zeromem.refine.reading import Held, Reading, Token, acts, line_end, read
from zeromem.text.words import fold

SOFT = 0.9  # share of the soft atoms that must stand
_STARTS = 16  # places of a sentence's first word from which its order is tried


@dataclass(frozen=True, slots=True)
class Loss:
    """What became of a source in a new text. Lists hold words as they are written; `bent` are hard atoms that now bind something else, `moved`
    words in an order, or beside a person, that the source does not have, and questions that became statements (or the other way round)."""

    hard_kept: tuple[str, ...] = ()
    hard_lost: tuple[str, ...] = ()
    soft_kept: tuple[str, ...] = ()
    soft_lost: tuple[str, ...] = ()
    bent: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    before: int = 0
    after: int = 0

    @property
    def soft_share(self) -> float:
        """The share of soft atoms that stand; 1 if there are none."""
        return len(self.soft_kept) / (len(self.soft_kept) + len(self.soft_lost)) if self.soft_lost else 1.0

    @property
    def ok(self) -> bool:
        """Whether the new text may stand for the source."""
        return not (self.hard_lost or self.bent or self.added or self.moved) and self.soft_share >= SOFT

    @property
    def reason(self) -> str:
        """Why it may not, in one line; empty if it may."""
        told = (("lost", self.hard_lost), ("bent", self.bent), ("added", self.added), ("moved", self.moved))
        parts = [f"{name}: {', '.join(words[:5])}" for name, words in told if words]
        if self.soft_share < SOFT:
            parts.append(f"lost: {', '.join(self.soft_lost[:5])}")
        return "; ".join(parts)


def verify(source: str, text: str, *, known: frozenset[str] = frozenset()) -> Loss:
    """The loss of `text` against `source`. `known` are words that need not stand in the source, such as the speaker's name; names and numbers
    of the text are checked even so."""
    old, new = read(source), read(text)
    kept, lost, bent = _hard(old, new)
    lost += [_line(old, first) for first in old.items if not _item_stands(old, first, new)]
    if not new.tokens and any(token.sort == "word" and not token.filler for token in old.tokens):
        lost.append("everything")
    stands, gone = _soft(old, text)
    added = _added(old, new, frozenset(map(fold, known)))
    moved = [] if added else list(_moved(old, new))
    return Loss(
        tuple(kept), tuple(lost), tuple(stands), tuple(gone), tuple(bent), tuple(added), tuple(moved), len(source), len(text)
    )  # fmt: skip


def _hard(old: Reading, new: Reading) -> tuple[list[str], list[str], list[str]]:
    """Hard atoms kept and lost, and those of the text whose bond the source does not know."""
    had, has = old.bonds(), new.bonds()
    forms = {form for form, _ in has}
    kept = [held.atom.text for bond, held in had.items() if bond in has]
    lost = [_shown(old, held) for (form, binds), held in had.items() if (form, binds) not in has and form not in forms]
    bent = [_shown(old, held) for (form, binds), held in had.items() if (form, binds) not in has and form in forms]
    bent += [_shown(new, held) for bond, held in has.items() if bond not in had]
    return kept, lost, list(dict.fromkeys(bent))


def _shown(reading: Reading, held: Held) -> str:
    """An atom with what it binds, as it is written."""
    span = sorted({*held.tokens, *held.binds})
    words = [reading.text[reading.tokens[n].start : reading.tokens[n].end] for n in span]
    return " ".join(words) or held.atom.text


def _soft(old: Reading, text: str) -> tuple[list[str], list[str]]:
    said = fold(text)
    soft = dict.fromkeys(held.atom.text for held in old.held if held.atom.kind in ("name", "quote", "code"))
    return [words for words in soft if fold(words) in said], [words for words in soft if fold(words) not in said]


def _added(old: Reading, new: Reading, known: frozenset[str]) -> list[str]:
    """Words of the text that the source has in no form. Grammar may come in; persons, relations, negations and numbers may not."""
    had = {token.key for token in old.tokens}
    tied = {n for held in new.held if held.atom.hard for n in held.tokens}
    out = []
    for n, token in enumerate(new.tokens):
        word = new.text[token.start : token.end]
        free = token.sort in ("function", "empty") and n not in tied
        if token.key not in had and not free and (fold(word) not in known or n in tied):
            out.append(word)
    return out


def _line(reading: Reading, first: int) -> str:
    return reading.text[reading.tokens[first].start :].split("\n", 1)[0]


def _item_stands(old: Reading, first: int, new: Reading) -> bool:
    """Whether one word of a list item is in the text."""
    end = line_end(old, first)
    words = {token.key for token in old.tokens[first:end] if token.sort == "word"}
    return not words or any(token.key in words for token in new.tokens)


def _moved(old: Reading, new: Reading) -> Iterator[str]:
    """Sentences of the text whose words do not stand in this order in the source, or skip a person, or ask where the source tells."""
    places: dict[str, list[int]] = defaultdict(list)
    for n, token in enumerate(old.tokens):
        places[token.key].append(n)
    names = sorted(held.tokens for held in old.held if held.atom.kind == "name" and acts(old, held.tokens))
    sentences: dict[int, list[Token]] = defaultdict(list)
    for token in new.tokens:
        if token.sort in ("word", "person", "relation"):
            sentences[token.sentence].append(token)
    for number, tokens in sentences.items():
        keys = [token.key for token in tokens if token.key in places]
        paths = list(_paths(keys, places, names))
        if not keys or any(old.asks[old.tokens[path[-1]].sentence] == new.asks[number] for path in paths):
            continue
        asked = " (asked)" if paths and not new.asks[number] else " (told)" if paths else ""
        yield new.text[tokens[0].start : tokens[-1].end] + asked


def _paths(
    keys: Sequence[str], places: Mapping[str, Sequence[int]], names: Sequence[tuple[int, ...]]
) -> Iterator[list[int]]:
    """Where the words stand one behind the other in the source, with no name skipped between two of them."""
    for start in places[keys[0]][:_STARTS] if keys else ():
        path = [start]
        for key in keys[1:]:
            at = bisect_right(places[key], path[-1])
            if at == len(places[key]):
                return  # nor is there a way from a later start
            path.append(places[key][at])
        if not _skips(path, names):
            yield path


def _skips(path: Sequence[int], names: Sequence[tuple[int, ...]]) -> bool:
    """Whether a name of the source is left out between the first and the last word of a path."""
    taken = set(path)
    first = bisect_right(names, path[0], key=lambda name: name[0])
    last = bisect_right(names, path[-1], key=lambda name: name[0])
    return any(name[-1] < path[-1] and taken.isdisjoint(name) for name in names[first:last])
