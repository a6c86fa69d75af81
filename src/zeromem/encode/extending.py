"""A user's own kinds, slots and rules: read from a TOML file, checked, and added to the house's tables for this process.

In: the path of a file with `[slots.NAME]`, `[kinds.NAME]` (columns as in `rules/slots.toml` and `rules/kinds.toml`) and `[[rule]]` rows
(as in `rules/en/facts.toml`, with `language`). Out: nothing; facts and routes are read by them from then on. Raises InvalidInput, and
adds nothing, for what cannot be read. What is stored already is read anew by `reindex`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from zeromem import kinds
from zeromem.encode import stated
from zeromem.encode.rulebook import Rulebook, extended, rulebook
from zeromem.errors import InvalidInput
from zeromem.rules import LANGUAGES, add, added
from zeromem.rules import kinds as all_kinds
from zeromem.rules import slots as all_slots

_PARTS = ("slots", "kinds", "rule")
_SLOT = {
    "holds": str,
    "line": str,
    "family": str,
    "sign": int,
    "fixed": bool,
    "ends": str,
    "person": bool,
    "shape": str,
}


def extend(path: str | Path) -> None:
    """Add the tables of a file. The same file again changes nothing; a name that means something else already is an InvalidInput."""
    told = str(path)
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(f"the rules file {told} cannot be read: {error}") from None
    strange = [name for name in tables if name not in _PARTS]
    if strange:
        raise InvalidInput(f"{told}: {strange[0]!r:.40} is no table of a rules file; it has {', '.join(_PARTS)}")
    slots, own_kinds, rows = tables.get("slots", {}), tables.get("kinds", {}), tables.get("rule", [])
    _check_tables(told, slots, own_kinds, rows)
    for name, entry in slots.items():
        _check_slot(f"{told}: slot {name!r}", entry)
    for name, row in own_kinds.items():
        if name in all_kinds():
            raise InvalidInput(
                f"{told}: there is a kind {name!r} already; presets change it, a file of rules adds others"
            )
        if not {"slots", "cards", "roles", "pattern"} & row.keys():
            raise InvalidInput(
                f"{told}: kind {name!r} fits everything; say what it fits by slots, cards, roles or pattern"
            )
        kinds.route_of(name, row)
    strange = [row.get("language") for row in rows if row.get("language", "en") not in LANGUAGES]
    if strange:
        raise InvalidInput(
            f"{told}: there are no rules in {strange[0]!r:.40}; a rule's language is one of {', '.join(LANGUAGES)}"
        )
    rules = {str(row.get("id")): row for row in rows}
    for language in LANGUAGES:
        own = [
            {k: v for k, v in row.items() if k != "language"} for row in rows if row.get("language", "en") == language
        ]
        _check_patterns(told, extended(language, {"slots": slots, "rule": own}), {row.get("id") for row in own})
    for what, entries in (("slots", slots), ("kinds", own_kinds), ("rules", rules)):
        _check_names(told, what, entries)
    for what, entries in (("slots", slots), ("kinds", own_kinds), ("rules", rules)):
        add(what, entries)
    for cached in (kinds.slots_by_name, kinds.routes, rulebook, stated.claims_of):
        cached.cache_clear()


def _check_tables(told: str, slots: object, own_kinds: object, rows: object) -> None:
    named = isinstance(slots, dict) and isinstance(own_kinds, dict) and isinstance(rows, list)
    if not named or not all(isinstance(one, dict) for one in (*slots.values(), *own_kinds.values(), *rows)):  # type: ignore[attr-defined,misc]
        raise InvalidInput(f"{told}: its parts are tables: [slots.NAME], [kinds.NAME], [[rule]]")


def _check_patterns(told: str, book: Rulebook, own: Collection[object]) -> None:
    for rule in book.rules:
        if rule.id not in own:
            continue
        try:
            names = rule.pattern.groupindex
        except (re.error, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{told}: the pattern of rule {rule.id!r} is no regular expression of this table ({error}); a macro stands in braces, "
                "a group is (?P<value>…)"
            ) from None
        if "value" not in names:
            raise InvalidInput(
                f"{told}: the pattern of rule {rule.id!r} has no group (?P<value>…), so it would state nothing"
            )


def _check_slot(where: str, entry: object) -> None:
    if (
        not isinstance(entry, Mapping)
        or entry.get("holds") not in ("one", "many")
        or not isinstance(entry.get("line"), str)
    ):
        raise InvalidInput(f'{where} needs holds = "one" or "many", and line = "what it means"')
    for key, value in entry.items():
        if key not in _SLOT or not isinstance(value, _SLOT[key]):
            raise InvalidInput(f"{where}: {key} = {value!r:.40} is none of {', '.join(_SLOT)} with a value of its type")


def _check_names(told: str, what: str, entries: Mapping[str, Any]) -> None:
    """A name may be added once in a process, and not take the place of a slot of the house."""
    for name, entry in entries.items():
        known = added(what).get(name)
        if known is not None and known != entry:
            raise InvalidInput(f"{told}: {what[:-1]} {name!r} was added to this process with another meaning")
        if known is None and what == "slots" and name in all_slots():
            raise InvalidInput(f"{told}: there is a slot {name!r} already: {all_slots()[name]['line']}")
