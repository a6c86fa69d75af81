"""Masks secrets (and personal data, where it is asked for) in a text, before anything of it is stored.

In: a text and a level: "secrets", "personal" (both) or "off". Out: the text with `[redacted:kind]` in place of each secret, and what was
masked. The rules are the table `rules/redact.toml`; here stand the tests that no pattern can do: check digits, and whether a word beside
"password" is one. What opens a place or a parcel (door, locker, pickup code) is no secret but a thing to remember. Pure; linear; masking twice
masks nothing more.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from zeromem.rules import expand, masks

Level = Literal["secrets", "personal", "off"]
_SHORTEST = 6  # characters of a text that can hold a secret beside its name
_REGIONS = ("CN", "US")  # whose numbers without a country code are known
_FIELD = re.compile(r"(\\{0,3}\")[ \t]{0,2}:[ \t]{0,4}$")  # what stands before a bare value in JSON
_FIELD_LENGTH = 11
_ESCAPE = re.compile(r"\\+u([0-9A-Fa-f]{4})")
_GROUPS = ("q", "c", "b")  # where a pattern holds what is masked


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
    digits: bool
    long: bool
    pattern: str
    check: str

    def find(self, text: str) -> Iterator[Mask]:
        check = _CHECKS[self.check]
        position = 0
        while match := _compiled(self.pattern).search(text, position):
            named = match.groupdict()
            group = next((name for name in _GROUPS if named.get(name) is not None), 0)
            kind = check(match, group)
            if kind is None:  # what follows may be the name of another value
                position = max([match.start() + 1, *(match.end(name) for name in _KINDS if named.get(name))])
            else:
                position = match.end()
                start = match.start(group)
                field = _FIELD.search(text, max(0, start - _FIELD_LENGTH), start)
                yield Mask(kind or self.kind, start, len(match[group]), field[1] if field else "")


def redact(text: str, level: Level = "secrets") -> tuple[str, tuple[Mask, ...]]:
    """The text without its secrets, and the masks in order; without any, the very same text."""
    if level == "off" or len(text) < _SHORTEST:
        return text, ()
    found = _found(text, level) if "\\u" not in text else _escaped(text, level)
    if not found:
        return text, ()
    kept = _apart(found)
    parts, position = [], 0
    for mask in kept:
        parts += [text[position : mask.start], mask.shown]
        position = mask.start + mask.length
    return "".join([*parts, text[position:]]), tuple(kept)


def _found(text: str, level: Level) -> list[Mask]:
    rules, short, long = _rules(level == "personal")
    lowered = text.lower()
    named = any(map(lowered.__contains__, short))
    words = _LONG_WORD.search(text) is not None and any(map(lowered.__contains__, long))
    numbers = _LONG_NUMBER.search(text) is not None
    if not (named or words or numbers):
        return []
    found = [
        mask
        for rule in rules
        if (
            numbers
            if rule.digits
            else (words if rule.long else named) and any(map(lowered.__contains__, rule.triggers))
        )
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


def _escaped(text: str, level: Level) -> list[Mask]:
    """Masks of a text that holds characters as JSON may write them: found in what it says, placed where it is written."""
    said, written, parts, shorter = [0], [0], [], 0
    for match in _ESCAPE.finditer(text):
        parts += [text[written[-1] : match.start()], chr(int(match[1], 16))]
        said += [match.start() - shorter, match.start() - shorter + 1]
        written += [match.start(), match.end()]
        shorter += match.end() - match.start() - 1
    out = []
    for mask in _found("".join([*parts, text[written[-1] :]]), level):
        first = bisect_right(said, mask.start) - 1
        last = bisect_left(said, mask.start + mask.length) - 1
        start = written[first] + mask.start - said[first]
        # An escape that ends the secret belongs to it as a whole.
        end = (
            written[last + 1]
            if said[last + 1 : last + 2] == [mask.start + mask.length]
            else written[last] + mask.start + mask.length - said[last]
        )
        out.append(Mask(mask.kind, start, end - start, mask.quote))
    return out


def moved(masks: tuple[Mask, ...], position: int) -> int:
    """Where a place of the original text is in the masked one; a place within a secret is the end of its mask."""
    shift = 0
    for mask in masks:
        if position <= mask.start:
            break
        end = mask.start + mask.length
        shift += len(mask.shown) - (mask.length if position >= end else position - mask.start)
    return position + shift


def secret_name(name: str, value: str) -> str | None:
    """The kind of secret that a field of this name holds, None if it holds none: `password`, `apiKey`, `client_secret`."""
    lowered = name.lower()
    if not any(word in lowered for word in ("pass", "pwd", "key", "token", "secret", "密", "口令", "令牌")):
        return None
    match = _compiled("(?i)(?:{name})$").search(name)
    return _kind(match, value, False) if match else None


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
def _rules(personal: bool) -> tuple[tuple[_Rule, ...], tuple[str, ...], tuple[str, ...]]:
    """The rules, and the triggers of all of them: those of the short and those of the long ones."""
    rules = tuple(
        _Rule(
            row["kind"],
            tuple(row.get("triggers", ())),
            row.get("digits", False),
            row.get("long", False),
            row["pattern"],
            row.get("check", ""),
        )
        for row in masks()["rule"]
        if personal or not row.get("personal")
    )
    short, long = (
        tuple(dict.fromkeys(word for rule in rules if rule.long is kind for word in rule.triggers))
        for kind in (False, True)
    )
    return rules, short, long


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(expand(pattern, masks()["macros"]))


# -- the tests that a pattern cannot do: each gives the kind ("" for that of the rule), or None where nothing is to be masked

_LONG_WORD = re.compile(r"[A-Za-z0-9_.-]{16}")
_LONG_NUMBER = re.compile(r"\d(?:[ .()\u00a0-]{0,2}\d){8}")
_LETTERS = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_CODE = re.compile(r"[A-Za-z]?[\d*#-]{2,9}[A-Za-z]?")  # what doors and lockers take
_UNITS = re.compile(r"\s?[位个個字次天年月周分秒小时時~]")
_CLAUSE = re.compile(r"[。；;!?！？\n]|\.\s")
_NEAR = 28  # characters around a code that tell what it opens
_KINDS = {"password": "password", "key": "api-key", "token": "token", "pin": "pin"}
_Group = str | int


def _macro(name: str) -> re.Pattern[str]:
    return _compiled("(?is){" + name + "}")


def _any(match: re.Match[str], group: _Group) -> str | None:
    return ""


def _named(match: re.Match[str], group: _Group) -> str | None:
    """A value beside the name of a secret."""
    return _kind(match, match[group], group == "b", match.end(group))


def _kind(match: re.Match[str], value: str, bare: bool, end: int = -1) -> str | None:
    told = match.groupdict()
    name = next(name for name in _KINDS if told.get(name))
    field = "sign" not in told  # a field of a record, not words
    sign, be = field or told["sign"], not field and told["be"]
    if not value.strip() or _macro("plain").fullmatch(value) or (bare and _macro("unlike").fullmatch(value)):
        return None
    digit = any(map(str.isdigit, value))
    if name in ("token", "key"):
        good = _random(value) or (name == "key" and bool(sign or be) and _word(match, value, bare, end, 6))
    elif name == "pin":
        good = (
            bool(sign or be)
            and value.isdecimal()
            and 4 <= len(value) <= 8
            and _account_code(match, end, len(value) < 6)
        )
    elif _CODE.fullmatch(value):
        linked = sign or be or told["to"] or not told["password"].isascii()
        counted = not (sign or be) and _UNITS.match(match.string, end)
        good = len(value) > 3 and bool(linked) and not counted and _account_code(match, end, True)
    elif _LETTERS.fullmatch(value):
        good = not bare or (bool(sign or be) and _word(match, value, bare, end, 4 if sign else 6))
    elif bare:
        good = len(value) >= (4 if sign or be else 6) and (digit or any(sign in "!@#$%^&*+~_=?" for sign in value))
    else:
        good = bool(sign or be) or digit
    return _KINDS[name] if good and not (not field and told["break"] and not digit) else None


def _random(value: str) -> bool:
    """Whether it looks drawn, not said: a key, not a number or a word."""
    alpha, digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if " " in value or "://" in value:
        return False
    return (len(value) >= 8 and alpha and digit) or (len(value) >= 20 and value.lower() != value != value.upper())


def _word(match: re.Match[str], value: str, bare: bool, end: int, least: int) -> bool:
    """A word that stands alone behind the name: nothing of a sentence follows."""
    return len(value) >= least and (not bare or end < 0 or _macro("ended").match(match.string, end) is not None)


def _account_code(match: re.Match[str], end: int, usual: bool) -> bool:
    """Whether a short code opens an account, no door, locker or parcel: what is said nearest, else what is usual."""
    if end < 0:
        return _macro("thing").search(match.string.replace("_", " ")) is None
    text = match.string
    before, after = text[max(0, match.start() - _NEAR) : end], _CLAUSE.split(text[end : end + _NEAR])[0]
    for near in (before, after):
        account, thing = (
            max((m.end() for m in _macro(name).finditer(near)), default=0) for name in ("account", "thing")
        )
        if account or thing:  # the nearer word says what is meant
            return account > thing
    return usual


def _behind(match: re.Match[str], group: _Group) -> str | None:
    """`hunter2 is my password`: the value comes first, so it must look like one."""
    value = match[group]
    if group == "b" and (not any(map(str.isdigit, value)) or _macro("unlike").fullmatch(value) or len(value) < 4):
        return None
    return None if _CODE.fullmatch(value) and not _account_code(match, match.end(), True) else ""


# Payment cards: how the number begins, and its lengths (ISO/IEC 7812; the networks' published ranges).
_CARDS = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|220[0-4]"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"62|81"), (16, 17, 19)),
    (re.compile(r"6011|65|64[4-9]"), (16, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14,)),
)  # fmt: skip
_GROUPINGS = re.compile(
    r"\d+|(\d{4}([ -])){3}\d{1,4}|(?:\d{4}([ -])){3}\d{4}[ -]\d{3}|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{6}[ -]\d{10,13}"
)


def _card(match: re.Match[str], group: _Group) -> str | None:
    """A payment card: a network's range and length, usual grouping, check digit; and not called an order or a serial number."""
    written = match[group].replace("\u00a0", " ")
    digits = [int(sign) for sign in written if sign.isdecimal()]
    number = "".join(map(str, digits))
    if not _GROUPINGS.fullmatch(written) or not any(
        begin.match(number) and len(number) in lengths for begin, lengths in _CARDS
    ):
        return None
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]) + sum(digits[::-2])
    if doubled % 10 or _compiled("(?i){order}$").search(match.string[max(0, match.start() - 24) : match.start()]):
        return None
    return ""


def _identity(match: re.Match[str], group: _Group) -> str | None:
    """A Chinese identity number by its check sign (ISO 7064, MOD 11-2); other forms are told by their shape."""
    number = match[0].upper()
    if len(number) == 18:
        total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
        return "" if "10X98765432"[total % 11] == number[17] else None
    return ""


_CHECKS: dict[str, Callable[[re.Match[str], _Group], str | None]] = {
    "": _any, "named": _named, "behind": _behind, "card": _card, "identity": _identity
}  # fmt: skip
