"""What turns or counts in a text without being an atom of its own: words of ending, wish and limit; amounts in colloquial Han numerals.

In: a text and its atoms. Out: the atoms with these, as hard ones. The words stand in `rules/*/refine.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from zeromem.rules import LANGUAGES, expand, table
from zeromem.text.atoms import Atom

_DIGITS = "零〇一二两三四五六七八九十百千万亿半几"
_NUMERAL = re.compile(
    f"[{_DIGITS}]*[百千万亿][{_DIGITS}]*|[{_DIGITS}]+[片粒颗滴支瓶包袋盒勺杯碗块张次遍趟顿节层间套台辆件份根条只头匹位名口斤岁]"
)


def with_turns(text: str, found: Sequence[Atom]) -> list[Atom]:
    """The atoms, and what turns or counts without being one: words of ending, wish and limit; amounts in colloquial Han numerals."""
    more = [Atom("modal", match[0], match.span(), True) for pattern in _turning() for match in pattern.finditer(text)]
    more += [Atom("number", match[0], match.span(), True) for match in _NUMERAL.finditer(text) if len(match[0]) > 1]
    out = list(found)
    for atom in more:
        over = [one for one in out if one.span[0] < atom.span[1] and atom.span[0] < one.span[1]]
        if all(one.span[0] >= atom.span[0] and one.span[1] <= atom.span[1] for one in over if one.hard):
            out = [one for one in out if one not in over or (not one.hard and one.kind != "negation")]
            out.append(atom)
    return sorted(out, key=lambda atom: atom.span)


@cache
def _turning() -> tuple[re.Pattern[str], ...]:
    patterns = (expand(table(language, "refine")["turning"]["pattern"], {}) for language in LANGUAGES)
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
