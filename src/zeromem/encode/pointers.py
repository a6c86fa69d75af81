"""Chooses the readable handle of a card: a telling word of its text that costs few tokens.

In: a card's text and a token counter. Out: up to four stems, best first; the store makes the first free one unique in its
scope by a number. `[m:stem]` is at most six tokens, so that a number of up to three digits never makes more than seven.
"""

from __future__ import annotations

import re
from functools import lru_cache

from zeromem.text.tokens import Counter
from zeromem.text.words import is_stop, terms

_LATIN = re.compile(r"(?<![\w'’-])[A-Za-z]{3,11}(?![\w'’])")
_HAN = re.compile(r"^[\u4e00-\u9fff]{2,4}$")
_SCAN = 600  # characters; a handle for a long text is found at its head
_CANDIDATES = 4
_MOST_TOKENS = 6


def stems(text: str, count: Counter) -> list[str]:
    """Up to four words of `text` fit for a handle, cheapest and longest first; `note` where it has none."""
    head = text[:_SCAN]
    found = [word.lower() for word in _LATIN.findall(head) if not is_stop(word.lower())]
    if len(found) < _CANDIDATES and not head.isascii():
        found += [term for term in terms(head) if _HAN.match(term) and not is_stop(term)]
    priced = [(cost(stem, count), -len(stem), i, stem) for i, stem in enumerate(dict.fromkeys(found))]
    best = [stem for price, _, _, stem in sorted(priced) if price <= _MOST_TOKENS]
    return best[:_CANDIDATES] or ["note"]


@lru_cache(maxsize=65_536)
def cost(stem: str, count: Counter) -> int:
    """Tokens of the whole handle `[m:stem]`."""
    return count(f"[m:{stem}]")
