"""What makes an atom hard or soft: phrases that only look like denials, and words of health and danger.

In: a text. Out: spans. The tables are `rules/*/refine.toml`.
"""

from collections.abc import Iterator
from functools import cache

from zeromem.rules import LANGUAGES, table, weighing

_IDLE_BEFORE, _IDLE_AFTER = 24, 48  # characters that a phrase may reach around the word in it


def idle_phrase(text: str, place: int) -> tuple[int, int] | None:
    """The span of the phrase that denies and limits nothing, around the negation or modal word at `place`; None if it does both."""
    first = max(0, place - _IDLE_BEFORE)
    found = weighing("idle", "refine").finditer(text, first, place + _IDLE_AFTER)
    return next((match.span() for match in found if match.start() <= place < match.end()), None)


def dangers(text: str) -> Iterator[tuple[int, int]]:
    """Words of health and danger: those of alphabets whole, Han ones anywhere. Long lists of them are looked for one by one, which is
    ten times as fast as one pattern of all."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is longer would shift what stands behind
        return
    for word in _words():
        start = low.find(word)
        while start >= 0:
            end = start + len(word)
            bare = not word.isascii() or (_border(low, start - 1) and _border(low, end))
            if bare:
                yield start, end
            start = low.find(word, end)


def _border(text: str, place: int) -> bool:
    return not 0 <= place < len(text) or not text[place].isalnum()


@cache
def _words() -> tuple[str, ...]:
    """Longer ones first, so that a phrase wins over a word in it."""
    told = [table(language, "refine")["safety"] for language in LANGUAGES]
    words = {word for some in told for line in some.get("words", ()) for word in line.split()}
    return tuple(sorted(words.union(*(some["phrases"] for some in told)), key=lambda word: (-len(word), word)))
