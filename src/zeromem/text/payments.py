"""Finds the numbers of payment cards in a text, with the expiry and the code that stand beside one.

In: a text. Out: kind, start and length of each. A card is a stretch of whole digit groups, anywhere in a row of them: of a network's range
and length, written with one separator, right by its check digit (ISO/IEC 7812), and not called an order, an IBAN or a serial number. Pure;
linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from zeromem.text.credentials import compiled

Found = tuple[str, int, int]  # kind, start, length

# How the number begins, and its lengths (the networks' published ranges).
_NETWORKS = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|220[0-4]"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"62|81"), (16, 17, 18, 19)),
    (re.compile(r"6011|65|64[4-9]"), (16, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16, 19)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14,)),
    (re.compile(r"50(?:18|20|38)|5893|6304|6759|676[1-3]"), (16, 18, 19)),
)  # fmt: skip
_SPACE = "[ \u00a0\u2007\u202f\u3000]"
_MARK = "[-–－./_]"
_ROW = re.compile(rf"\d++(?:(?:{_SPACE}{{1,2}}+(?:{_MARK}{_SPACE}{{0,2}}+)?|{_MARK}{_SPACE}{{0,2}}+)\d++)*+")
_NUMBER = re.compile(r"\d(?:[ \u00a0\u2007\u202f\u3000–－._/-]{0,5}\d){12}")
_GROUP = re.compile(r"\d+")
_SHORTEST, _LONGEST = 13, 19  # digits of a card
# By the lengths of the groups: fours with a short rest, those of American Express and Diners, a bank's six and the rest, eights.
_USUAL = re.compile(r"1[3-9]|4 4 4 [1-4]|4 4 4 4 [1-3]|4 6 [45]|6 1[0-3]|8 8|4 8 4|4 4 8|8 4 4")
_LEAST = 3  # digits of a group that is not the last
_TABLE = 16  # groups; a longer row is a table of numbers, unless half of it are cards
_NEAR = 40  # characters before a number that tell what it is
_INSIDE = re.compile(r"[A-Za-z_]$")  # a name or a code goes on into the number
_FRACTION = re.compile(r"(?:\d|^|\s)\.$")
_HEX = re.compile(r"(?=\d*[a-f])[0-9a-f]{4}-$", re.IGNORECASE)  # the middle of a UUID
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d[ -]?(?:[A-Z0-9]{4}[ -]?)*$")
_FAR = 80  # characters around a card in which its expiry is named


def cards(text: str) -> Iterator[Found]:
    """Numbers of cards, and beside each its expiry and its code."""
    place = 0
    while number := _NUMBER.search(text, place):
        row = _ROW.match(text, number.start())
        assert row is not None  # it begins with a digit
        place = row.end()
        groups = [match.span() for match in _GROUP.finditer(text, row.start(), row.end())]
        found = list(_in_row(text, groups))
        if len(groups) > _TABLE:
            held = sum(len(_GROUP.findall(text, start, end)) for start, end in found)
            found = found if 2 * held >= len(groups) else []
        for start, end in found:
            yield "card-number", start, end - start
            yield from _beside(text, start, end)


def _in_row(text: str, groups: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    aside = 0  # where a number ends that is called something else
    for first, (start, _) in enumerate(groups):
        digits = 0
        for last in range(first, len(groups)):
            end = groups[last][1]
            size = end - groups[last][0]
            digits += size
            if digits > _LONGEST or (size < _LEAST and digits < _SHORTEST):
                break
            if digits < _SHORTEST or start < aside or not _is_card(text, groups[first : last + 1]):
                continue
            if _called_otherwise(text, start, end):
                aside = end
            else:
                yield start, end


def _is_card(text: str, groups: list[tuple[int, int]]) -> bool:
    sizes = [end - start for start, end in groups]
    uncommon = sum(sizes) >= 15 and len(sizes) > 2 and sizes[0] > _LEAST and min(sizes[:-1]) >= _LEAST
    if not uncommon and not _USUAL.fullmatch(" ".join(map(str, sizes))):
        return False
    if len({text[one[1] : other[0]].strip() for one, other in pairwise(groups)}) > 1:
        return False
    digits = [int(sign) for start, end in groups for sign in text[start:end]]
    number = "".join(map(str, digits))
    if not any(begin.match(number) and len(number) in lengths for begin, lengths in _NETWORKS):
        return False
    return (sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]) + sum(digits[::-2])) % 10 == 0


def _called_otherwise(text: str, start: int, end: int) -> bool:
    """A name, a fraction, a telephone or an order number, an IBAN or a UUID holds it."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + 2]
    if _INSIDE.search(before) and not compiled("(?i){card_word}[ _#]*$").search(before):
        return True
    if after[:1].isascii() and (after[:1].isalpha() or (after[:1] == "_" and not after[1:].isdecimal())):
        return True
    if text[start:end].isdecimal() and (_FRACTION.search(before) or (after[:1] == "." and after[1:].isdecimal())):
        return True
    return before.endswith("+") or any(pattern.search(before) for pattern in (compiled("(?i){order}$"), _IBAN, _HEX))


def _beside(text: str, start: int, end: int) -> Iterator[Found]:
    """What else is printed on the card: named within some words of the number, or right behind it on its line."""
    for first, last in ((max(0, start - _FAR), start), (end, end + _FAR)):
        for match in compiled("(?i){expiry_named}").finditer(text, first, last):
            yield "card-expiry", match.start("b"), len(match["b"])
    for kind, pattern in (("card-expiry", "{expiry_behind}"), ("card-code", "{code_behind}")):
        if behind := compiled("(?i)" + pattern).match(text, end):
            yield kind, behind.start("b"), len(behind["b"])
            end = behind.end("b")
