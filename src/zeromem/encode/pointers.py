"""Chooses the readable handle of a card: the word of its text that tells it from others and costs few tokens.

In: a card's text and a token counter. Out: up to four stems, best first; the store makes the first free one unique in its
scope by a number. A stem scores by what it is (a name, a noun, a rare word) and where it stands (what a sentence is about comes
late in it), less its tokens; words of time and generic words are left out by the tables `rules/*/pointers.toml`. `[m:stem]` is at most
five tokens, so that a number of up to six digits never makes more than seven.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache, lru_cache

from zeromem.ids import is_stem
from zeromem.rules import LANGUAGES, table
from zeromem.text.tokens import Counter, rank
from zeromem.text.words import is_stop, tagged

_LETTER = r"A-Za-z\u00c0-\u024f"  # Latin with its accents; a Han character may stand beside a word
_LATIN = re.compile(rf"(?<![{_LETTER}\u0300-\u036f0-9_'’-])[{_LETTER}]{{3,11}}(?![{_LETTER}\u0300-\u036f0-9_'’])")
_HAN = re.compile(r"[\u4e00-\u9fff]{1,4}")
_SENTENCE = re.compile(r"[^.!?。！？；\n]++")
_VERBAL = ("ed", "ing", "ly")
_GREETING = 20  # characters; a sentence that is hardly more than a name
_SCAN = 200  # characters; a handle for a long text is found at its head
_CANDIDATES = 4
_MOST_TOKENS = 5
# Worth of a word by its tag and by what else is known of it, chosen by reading the handles of some hundred sentences.
_KINDS = {"nr": 2.5, "ns": 2.5, "nt": 2.5, "nz": 2.5, "n": 2.0, "vn": 1.5, "an": 1.0, "l": 1.0, "i": 1.0, "j": 1.5,
          "s": 1.0, "b": 0.5, "v": 0.0, "a": 0.0}  # fmt: skip
_NAME, _WEAK, _LATE, _NEXT_SENTENCE, _DEAR, _WITHIN = 2.0, 2.5, 1.5, 0.75, 0.5, 2.0
_COMMON, _RARE = 9.0, 17.6  # log2 of the places of a very common word and of the rarest in the vocabulary
_RARITY = 4.0


def stems(text: str, count: Counter) -> list[str]:
    """Up to four words of `text` fit for a handle, most telling first; `note` where it has none."""
    scores: dict[str, float] = {}
    spare: dict[str, float] = {}  # single characters, for a text whose words are too dear
    for number, sentence in enumerate(_SENTENCE.finditer(text[:_SCAN])):
        words = sentence[0]
        for word, start, worth in (*_latin(words), *_han(words)):
            tokens, fits = _fits(word, count)
            # A Chinese word is mostly of the kind that its last character names: 乌龙茶 is a 茶.
            kept, stem = (scores, word) if fits else (spare, word[-1])
            score = worth + _LATE * start / len(words) - _NEXT_SENTENCE * min(number, 4) - _DEAR * tokens
            kept[stem] = max(score, kept.get(stem, score))
    # Equals by their place in the text, which is the order of the dict.
    best = sorted(scores, key=lambda word: -scores[word])[:_CANDIDATES]
    if best:
        return [word for word in best if scores[word] >= scores[best[0]] - _WITHIN]
    short = [word for word in spare if not word.isascii() and is_stem(word) and cost(word, count) <= _MOST_TOKENS]
    return [max(short, key=lambda word: spare[word], default="note")]


def _latin(sentence: str) -> Iterator[tuple[str, int, float]]:
    """Words of the Latin alphabet, their place, and what they are worth there."""
    for match in _LATIN.finditer(sentence):
        worth = _alone(match[0])
        if worth is None:
            continue
        named = match[0][0].isupper() and not match[0].isupper()
        if named and (before := sentence[: match.start()].strip()):
            # "Wow, Ana" and "Hey Ana!" only speak to her.
            worth += -_WEAK if before.endswith((",", "，")) or len(sentence) < _GREETING else _NAME
        yield match[0].lower(), match.start(), worth


@lru_cache(maxsize=65_536)
def _alone(written: str) -> float | None:
    """What a word is worth wherever it stands: its rarity, less where it is generic; None where it is no handle."""
    word = written.lower()
    if is_stop(word) or word in _words("skip"):
        return None
    place = (math.log2(max(2, rank(" " + written))) - _COMMON) / (_RARE - _COMMON)
    return (
        _RARITY * min(1.0, max(0.0, place))
        - (_WEAK if word in _words("weak") else 0.0)
        - (1.0 if word.endswith(_VERBAL) else 0.0)
    )


def _han(sentence: str) -> Iterator[tuple[str, int, float]]:
    """Chinese words by their part of speech."""
    if sentence.isascii():
        return
    place = 0
    for word, tag in tagged(sentence):
        start = sentence.find(word, place)
        place = max(place, start + len(word))
        worth = _KINDS["n"] if word in _words("keep") else _KINDS.get(tag, _KINDS.get(tag[:1]))
        if worth is not None and _HAN.fullmatch(word) and not is_stop(word) and word not in _words("skip"):
            yield word, start, worth - (_WEAK if word in _words("weak") else 0.0)


@lru_cache(maxsize=65_536)
def _fits(word: str, count: Counter) -> tuple[int, bool]:
    """The tokens of a word as a handle, and whether it may be one."""
    tokens = cost(word, count)
    return tokens, len(word) > 1 and tokens <= _MOST_TOKENS and is_stem(word)


@cache
def _words(kind: str) -> frozenset[str]:
    """`skip`: never a handle; `weak`: only where there is nothing better; `keep`: fit whatever its tag."""
    return frozenset(word for language in LANGUAGES for word in table(language, "pointers")[kind].split())


@lru_cache(maxsize=65_536)
def cost(stem: str, count: Counter) -> int:
    """Tokens of the whole handle `[m:stem]`."""
    return count(f"[m:{stem}]")
