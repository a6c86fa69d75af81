"""The table of slots: how many values one holds, which slots speak of the same matter, and what cannot change.

In: a slot's name. Out: a `Slot`. The table is `rules/slots.toml`; a slot that is not in it (a relation read from a sentence) holds many
values unless its wording says otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Slot:
    """`one`: it holds one value at a time. `family`: slots of one family are weighed against each other, value by value, `sign` -1
    where a slot denies what the family affirms. `fixed`: its value does not change, so two values are a contradiction."""

    name: str
    one: bool = False
    family: str = ""
    sign: int = 1
    fixed: bool = False
    line: str = ""


@cache
def slots() -> Mapping[str, Slot]:
    """Every slot by name."""
    text = (resources.files("zeromem.rules") / "slots.toml").read_text(encoding="utf-8")
    return {
        name: Slot(
            name, entry["holds"] == "one", entry.get("family", ""), entry.get("sign", 1), entry.get("fixed", False),
            entry["line"],
        )
        for name, entry in tomllib.loads(text).items()
    }  # fmt: skip


def slot(name: str) -> Slot:
    """The slot of this name; a slot of its own where the table has none."""
    return slots().get(name) or Slot(name)
