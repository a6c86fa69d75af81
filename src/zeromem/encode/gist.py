"""The sentences that say most of a text, for kinds of which only a gist is kept.

In: a text, and where it states facts. Out: spans of sentences in order, about a third of its words, those that add most for their length
(`refine/coverage.py`). Every span is literal, so a gist says nothing that the text does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeromem.refine.coverage import Saying, Worth, chosen, worth
from zeromem.text.segment import Span, count_words, sentences

SHARE = 1 / 3  # of the words of a text
SHORT = 60  # words up to which a text is its own gist
_WORTH = Worth(fact=5.0, atom=1.5, again=1.0, once=0.1)


def gist(text: str, told: Sequence[Span] = ()) -> list[Span]:
    """The spans of the gist; the whole text where it is short."""
    spans = sentences(text)
    if len(spans) < 2 or count_words(text) <= SHORT:
        return [(0, len(text))] if text.strip() else []
    held = worth([Saying("", False, text, told)], [(0, *span) for span in spans], _WORTH)
    lengths = [max(1.0, count_words(text[start:end])) for start, end in spans]
    return [spans[n] for n in sorted(chosen(held, lengths, SHARE * sum(lengths)))]
