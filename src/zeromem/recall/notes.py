"""Makes the notes under a memory in a context: that it no longer holds, or a part of it, or that another one contradicts it.

In: slots of facts, a language. Out: a line with its exact tokens, added up from `rules/notes.toml`; with another tokenizer than o200k
the whole line is counted. A note holds no stored text, so there is nothing to escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from zeromem.recall.state import Note
from zeromem.rules import notes
from zeromem.text.tokens import Counter

_NAMED = 2  # slots that are named at most


def past(language: str = "en", count: Counter | None = None) -> Note:
    """Under a memory whose words have been overtaken. `count` is another tokenizer than o200k."""
    return _joined([notes()["past"][_written(language)]], count)


def partly(slots: Sequence[str], language: str = "en", count: Counter | None = None) -> Note:
    """Under one of which some has been: what it says of these slots."""
    language = _written(language)
    (first, last), names = notes()["partly"][language], notes()["slots"][language]
    known = (names[slot] for slot in slots if slot in names)
    comma = "," if language == "en" else "、"
    told = [
        (text if i == 0 else f"{comma}{text[1:]}", tokens) for i, (text, tokens) in enumerate(islice(known, _NAMED))
    ]
    return _joined([first, *told, last], count)


def doubt(slot: str, language: str, count: Counter | None = None) -> Note:
    """Under one that another shown memory contradicts."""
    language = _written(language)
    (first, last), slots = notes()["doubt"][language], notes()["slots"][language]
    return _joined([first, *([slots[slot]] if slot in slots else []), last], count)


def _written(language: str) -> str:
    """The language of the tables for a memory in this one."""
    return language if language in notes()["doubt"] else "en"


def named(slot: str, language: str) -> str:
    """What a slot is called in a question."""
    entry = notes()["slots"][language].get(slot)
    return str(entry[0]).lstrip(":： ") if entry else slot


def _joined(pieces: Sequence[tuple[str, int]], count: Counter | None) -> Note:
    text = "".join(piece for piece, _ in pieces)
    return text, sum(tokens for _, tokens in pieces) if count is None else count(text)
