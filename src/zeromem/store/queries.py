"""Loads named SQL from the `.sql` files: `-- name: verb` starts a query, the next name ends it.

In: a package file. Out: a dict from name to SQL. `scoped` fills the two placeholders that SQL cannot bind: the equality
tests of the scope ids that were given, and the question marks of an IN list. Values are always bound, never pasted.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from zeromem.types import Scope


@cache
def queries(dialect: str) -> dict[str, str]:
    """All named queries of one dialect ("sqlite"): those of `queries.sql`, and of the files whose names begin alike."""
    folder = files("zeromem.store") / f"sql/{dialect}"
    found = sorted((item for item in folder.iterdir() if item.name.startswith("queries")), key=lambda item: item.name)
    text = "\n".join(item.read_text(encoding="utf-8") for item in found)
    blocks = text.split("-- name: ")[1:]
    return {name.strip(): sql.strip().rstrip(";") for name, _, sql in (block.partition("\n") for block in blocks)}


def scope_test(scope: Scope | None, alias: str, *, session: bool = False) -> tuple[str, dict[str, Any]]:
    """SQL and values that match a scope: a given id by equality, one not given is not compared.

    Where both are given the user's index leads (the `+` takes the agent's out of the race): one agent serves many users.
    """
    if scope is None:
        return "TRUE", {}
    ids = {"user": scope.user, "agent": scope.agent, "tenant": scope.tenant}
    if session:
        ids["session"] = scope.session
    given = {name: value for name, value in ids.items() if value is not None}
    tests = [f"{'+' if name == 'agent' and 'user' in given else ''}{alias}.{name} = :scope_{name}" for name in given]
    return " AND ".join(tests) or "TRUE", {f"scope_{name}": value for name, value in given.items()}
