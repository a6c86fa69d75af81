"""Masks secrets (and personal data, where it is asked for) in a text, before anything of it is stored.

In: a text and a level: "secrets", "personal" (both) or "off". Out: the text with `[redacted:kind]` in place of each secret, and what was
masked. The rules are the table `rules/redact.toml`, the tests that no pattern can do stand in `text/credentials.py`. Pure; linear; masking
twice masks nothing more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from zeromem.rules import masks
from zeromem.text.columns import columns
from zeromem.text.credentials import CHECKS, KINDS, compiled, strong, wallets
from zeromem.text.payments import cards
from zeromem.text.render import HIDDEN

Level = Literal["secrets", "personal", "off"]
_SHORTEST = 6  # characters of a text that can hold a secret beside its name
_REGIONS = ("CN", "US")  # whose numbers without a country code are known
_FIELD = re.compile(r"(\\{0,3}\")[ \t]{0,2}:[ \t]{0,4}$")  # what stands before a bare value in JSON
_FIELD_LENGTH = 11
# Escapes of JSON, letters in full width, characters that show nothing.
_WIDE = re.compile("[Ａ-Ｚａ-ｚ]")
_UNREAD = re.compile(f"[Ａ-Ｚａ-ｚ{HIDDEN}]")
_WRITTEN = re.compile(rf"\\+u([0-9A-Fa-f]{{4}})|{_UNREAD.pattern}")
_LETTER = re.compile(r"[a-z@:]")
_LONG_WORD = re.compile(r"[A-Za-z0-9_.-]{16}")
_LONG_NUMBER = re.compile(r"\d(?:[ .()\u00a0\u2007\u202f\u3000–－_/-]{0,3}\d){8}")
# `hunter22 and hunter33`: one more value behind a value.
_NEXT = re.compile(
    r"[ \t]{0,2}(?:[,/、，][ \t]{0,2}|(?:and|or|then|to|->|→|和|或者?|以及|[改换換变變][成为為]|现在是|新的是)[ \t]{0,2})"
    r"(?:and |or |(?:the )?(?:new|old|other) (?:one )?(?:is|was) )?(?P<b>[!#-%*+./-9?-~-]{5,64}[!#-%*+/-9?-~])(?![\"']?[ ]?[:=(])"
)
_GROUPS = ("q", "c", "b", "x")  # where a pattern holds what is masked
# What no pattern finds: each gives kind, start and length.
_FINDERS: dict[str, Callable[[str], Iterator[tuple[str, int, int]]]] = {"cards": cards, "columns": columns}


@dataclass(frozen=True, slots=True)
class Mask:
    """What was masked: its kind, and where it stood in the text as given, in characters.

    `quote` stands around the mask of a bare value in JSON, so that it stays JSON.
    """

    kind: str
    start: int
    length: int
    quote: str = ""

    @property
    def shown(self) -> str:
        return f"{self.quote}[redacted:{self.kind}]{self.quote}"


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    triggers: tuple[str, ...]
    needs: tuple[str, ...]
    digits: bool
    long: bool
    pattern: str
    check: str
    finder: str

    def find(self, text: str) -> Iterator[Mask]:
        if self.finder:
            yield from (Mask(*found) for found in _FINDERS[self.finder](text))
            return
        check = CHECKS[self.check]
        position = 0
        while match := compiled(self.pattern).search(text, position):
            named = match.groupdict()
            group = next((name for name in _GROUPS if named.get(name) is not None), 0)
            kind = check(match, group)
            if kind is None:  # what follows may be the name of another value
                position = max([match.start() + 1, *(match.end(name) for name in KINDS if named.get(name))])
            else:
                position = match.end()
                start = match.start(group)
                field = _FIELD.search(text, max(0, start - _FIELD_LENGTH), start)
                yield Mask(kind or self.kind, start, len(match[group]), field[1] if field else "")
                while self.check == "named" and (more := _NEXT.match(text, position)) and strong(more["b"]):
                    yield Mask(kind or self.kind, more.start("b"), len(more["b"]))
                    position = more.end()


def redact(text: str, level: Level = "secrets") -> tuple[str, tuple[Mask, ...]]:
    """The text without its secrets, and the masks in order; without any, the very same text."""
    if level == "off" or len(text) < _SHORTEST:
        return text, ()
    odd = "\\u" in text or not (text.isascii() or _UNREAD.search(text) is None)
    found = _as_read(text, level) if odd else _found(text, level)
    if not found:
        return text, ()
    kept = _apart(found)
    parts, position = [], 0
    for mask in kept:
        parts += [text[position : mask.start], mask.shown]
        position = mask.start + mask.length
    return "".join([*parts, text[position:]]), tuple(kept)


def _found(text: str, level: Level) -> list[Mask]:
    rules, short, (foreign, signs), long = _rules(level == "personal")
    lowered = text.lower()
    # Most texts of a script have no letter, or no sign, that the words of the other one need.
    named = (lowered.isascii() or _LETTER.search(lowered) is not None) and any(map(lowered.__contains__, short))
    named = named or (not signs.isdisjoint(lowered) and any(map(lowered.__contains__, foreign)))
    words = _LONG_WORD.search(text) is not None and any(map(lowered.__contains__, long))
    numbers = _LONG_NUMBER.search(text) is not None
    found = [Mask("seed-phrase", start, length) for start, length in wallets(text, lowered)]
    if not (named or words or numbers):
        return found
    found += [
        mask
        for rule in rules
        if (
            numbers
            if rule.digits
            else (words if rule.long else named) and any(map(lowered.__contains__, rule.triggers))
        )
        and (not rule.needs or any(map(lowered.__contains__, rule.needs)))
        for mask in rule.find(text)
    ]
    return [*found, *_phones(text)] if numbers and level == "personal" else found


def _phones(text: str) -> Iterator[Mask]:
    """Telephone numbers as people write them at home, where the extra `personal` is installed."""
    library = _library()
    for region in _REGIONS if library is not None else ():
        for match in library.PhoneNumberMatcher(text, region, max_tries=len(text)):
            yield Mask("phone", match.start, match.end - match.start)


@cache
def _library() -> Any:
    try:
        return import_module("phonenumbers")
    except ImportError:
        return None


def _as_read(text: str, level: Level) -> list[Mask]:
    """Masks of a text that is written otherwise than it is read: found in what it says, placed where it is written."""
    parts, places, position = [], [], 0  # places: where each character of what it says is written
    for match in _WRITTEN.finditer(text):
        sign = match[0]
        said = chr(int(match[1], 16)) if match[1] else unicodedata.normalize("NFKC", sign) if _WIDE.match(sign) else ""
        parts += [text[position : match.start()], said]
        places += [*range(position, match.start()), *([match.start()] if said else [])]
        position = match.end()
    places += range(position, len(text) + 1)
    masks = _found("".join([*parts, text[position:]]), level)
    # An escape that ends the secret belongs to it as a whole, and so does what shows nothing behind it.
    return [
        Mask(mask.kind, places[mask.start], places[mask.start + mask.length] - places[mask.start], mask.quote)
        for mask in masks
    ]


def moved(masks: tuple[Mask, ...], position: int) -> int:
    """Where a place of the original text is in the masked one; a place within a secret is the end of its mask."""
    shift = 0
    for mask in masks:
        if position <= mask.start:
            break
        end = mask.start + mask.length
        shift += len(mask.shown) - (mask.length if position >= end else position - mask.start)
    return position + shift


def _apart(found: list[Mask]) -> list[Mask]:
    """In order; where two overlap, one mask over both, of the kind that begins first."""
    kept: list[Mask] = []
    for mask in sorted(found, key=lambda mask: (mask.start, -mask.length)):
        last = kept[-1] if kept else None
        if last is None or mask.start >= last.start + last.length:
            kept.append(mask)
        elif mask.start + mask.length > last.start + last.length:
            kept[-1] = Mask(last.kind, last.start, mask.start + mask.length - last.start, last.quote)
    return kept


@cache
def _rules(
    personal: bool,
) -> tuple[tuple[_Rule, ...], tuple[str, ...], tuple[tuple[str, ...], frozenset[str]], tuple[str, ...]]:
    """The rules, and the triggers of all of them: those of the short ones (the foreign with their signs) and of the long ones."""
    rules = tuple(
        _Rule(
            row["kind"],
            tuple(row.get("triggers", ())),
            tuple(row.get("needs", ())),
            row.get("digits", False),
            row.get("long", False),
            row.get("pattern", ""),
            row.get("check", ""),
            row.get("finder", ""),
        )
        for row in masks()["rule"]
        if personal or not row.get("personal")
    )
    short, long = (
        tuple(dict.fromkeys(word for rule in rules if rule.long is kind for word in rule.triggers))
        for kind in (False, True)
    )
    # A word that holds another one of them tells nothing more.
    plain, long = (
        tuple(word for word in words if not any(one in word for one in words if one != word)) for words in (short, long)
    )
    foreign = tuple(word for word in plain if not word.isascii())
    signs = frozenset(next(sign for sign in word if not sign.isascii()) for word in foreign)
    return rules, tuple(word for word in plain if word.isascii()), (foreign, signs), long
