"""The tables of slots, of kinds of memory, and of presets.

In: a slot's name; a preset's. Out: a `Slot` (how many values it holds, which slots speak of the same matter, what cannot change); the
`Route`s of the preset, in the order in which kinds are tried. The tables are `rules/slots.toml`, `rules/kinds.toml` and
`rules/presets.toml`, and what a user adds (`extend`). A slot that is in none of them (a relation read from a sentence) holds many values
unless its wording says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from string import Formatter
from typing import Any, Literal

from zeromem.errors import InvalidInput
from zeromem.rules import added, kinds, presets, roles, slots

Tier = Literal["working", "short", "long", "archive"]


@dataclass(frozen=True, slots=True)
class Slot:
    """`one`: it holds one value at a time. `family`: slots of one family are weighed against each other, value by value, `sign` -1
    where a slot denies what the family affirms. `fixed`: its value does not change, so two values are a contradiction. `told`: only
    words that tell of a change end its value. `person`: its values are people or animals, who may have facts of their own. `shape`: what a value must
    hold, "digit" or "mail", or "name" for what bears a capital. `part`: a denial may name its value by some of its words."""

    name: str
    one: bool = False
    family: str = ""
    sign: int = 1
    fixed: bool = False
    told: bool = False
    person: bool = False
    shape: str = ""
    part: bool = False
    line: str = ""


@cache
def slots_by_name() -> Mapping[str, Slot]:
    return {
        name: Slot(
            name, entry["holds"] == "one", str(entry.get("family", "")), int(entry.get("sign", 1)),
            bool(entry.get("fixed", False)), entry.get("ends") == "change",
            bool(entry.get("person", False)), str(entry.get("shape", "")), bool(entry.get("part", False)), str(entry["line"]),
        )
        for name, entry in slots().items()
    }  # fmt: skip


def slot(name: str) -> Slot:
    """The slot of this name; a slot of its own where the table has none."""
    return slots_by_name().get(name) or Slot(name)


# Characters before a clause in which its role may be named ("I changed dentists, now it's Dr. Wu"), and before it there.
_BEFORE, _BESIDE = 40, 20


@cache
def _roles(slot: str) -> re.Pattern[str] | None:
    told = roles().get(slot)
    if told is None:
        return None
    parts = (f"(?P<{role}>{pattern})" for role, pattern in told.items() if role != "each")
    return re.compile("|".join(parts), re.IGNORECASE)


def role(slot: str, value: str, text: str, start: int, end: int) -> tuple[str, str] | None:
    """The role of a value in its clause of a text, where its subject has one of that sort at a time ("dentist" in "my dentist is Dr. Lee"),
    and the words around it up to the value, which may say that it is a new one."""
    pattern = _roles(slot)
    at = text.find(value, start, end) if pattern is not None else -1
    if pattern is None or at < 0:
        return None
    found = list(pattern.finditer(text, max(0, start - _BEFORE), end))
    before = [match for match in found if match.end() <= at]
    match = before[-1] if before else next(iter(found), None)
    if match is None or match.lastgroup in (None, "many"):
        return None
    name = str(match.lastgroup)
    each = name in roles()[slot].get("each", ())
    begin = start if match.start() >= start else max(0, match.start() - _BESIDE)
    return f"{name} {match[0].strip().lower()}" if each else name, text[begin : max(at, match.end())]


SUMMARY = "summary"  # the kind of card that says what a session came to
AS_IT_IS = "{head}{text}"  # the template of a row that names none


@dataclass(frozen=True, slots=True)
class Route:
    """What becomes of a memory of one kind: see `rules/kinds.toml` for each column. Times are days, 0 means never."""

    name: str
    tier: Literal["short", "long"] = "short"
    importance: float = 0.35
    half_life: float = 30
    lifetime: float = 0
    keep: Literal["verbatim", "fact", "gist", "event"] = "verbatim"
    template: str = AS_IT_IS
    cards: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None

    def fits(self, card: str, role: str, stated: frozenset[str], text: str) -> bool:
        """Whether a text belongs here, by its kind of card, who says it, and the slots of what it states."""
        return (
            (not self.cards or card in self.cards)
            and (not self.roles or role in self.roles)
            and (not self.slots or (bool(stated) and ("*" in self.slots or not stated.isdisjoint(self.slots))))
            and (self.pattern is None or bool(self.pattern.search(text)))
        )


_CHOICES = {"tier": ("short", "long"), "keep": ("verbatim", "fact", "gist", "event")}
_FIELDS = ("head", "text", "kind")  # of a template
_NUMBERS = {"importance": 1.0, "half_life": 36_525.0, "lifetime": 36_525.0}


@cache
def routes(preset: str) -> tuple[Route, ...]:
    """The route table of a preset (`Settings` knows which there are); the kinds that a user added come first."""
    changed = presets()[preset].get("kinds", {})
    rows = {**added("kinds"), **{name: row for name, row in kinds().items() if name not in added("kinds")}}
    return tuple(route_of(name, {**row, **changed.get(name, {})}) for name, row in rows.items())


def route_of(name: str, row: Mapping[str, Any]) -> Route:
    """A row of the table. Raises InvalidInput for a column that there is not, or a value that it cannot hold."""
    known = {field.name for field in fields(Route)} - {"name"}
    for column, value in row.items():
        where = f"kind {name!r}: {column}"
        if column not in known:
            raise InvalidInput(f"{where} is no column of the route table; it has {', '.join(sorted(known))}")
        if column in _CHOICES and value not in _CHOICES[column]:
            raise InvalidInput(f"{where} must be one of {', '.join(_CHOICES[column])}, not {value!r:.40}")
        if column in _NUMBERS and not (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _NUMBERS[column]
        ):
            raise InvalidInput(f"{where} must be a number from 0 to {_NUMBERS[column]:g}, not {value!r:.40}")
        if column in ("cards", "roles", "slots") and not (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
        ):
            raise InvalidInput(f"{where} must be a list of names, not {value!r:.40}")
    _check_template(name, row.get("template", AS_IT_IS))
    pattern = row.get("pattern")
    try:
        compiled = None if pattern is None else re.compile(pattern, re.IGNORECASE)
    except (re.error, TypeError) as error:
        raise InvalidInput(f"kind {name!r}: pattern is no regular expression: {error}") from None
    lists = {column: tuple(row[column]) for column in ("cards", "roles", "slots") if column in row}
    return Route(name, **{**row, **lists, "pattern": compiled})


def _check_template(name: str, template: Any) -> None:
    """Raises InvalidInput for one that cannot be filled, or leaves out the text."""
    try:
        parts = list(Formatter().parse(template))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"kind {name!r}: template is no text with fields in braces: {error}") from None
    used = {field for _, field, _, _ in parts if field is not None}
    if "text" not in used or not used <= set(_FIELDS) or any(shape or how for _, _, shape, how in parts):
        raise InvalidInput(
            f"kind {name!r}: template {template!r:.60} must hold {{text}}, may hold {{head}} and {{kind}}, and nothing else in braces"
        )
