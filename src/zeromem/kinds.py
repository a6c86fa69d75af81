"""The table of slots: how many values one holds, which slots speak of the same matter, and what cannot change.

In: a slot's name. Out: a `Slot`. The table is `rules/slots.toml`; a slot that is not in it (a relation read from a sentence) holds many
values unless its wording says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from zeromem.rules import slots


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
def _slots() -> Mapping[str, Slot]:
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
    return _slots().get(name) or Slot(name)
