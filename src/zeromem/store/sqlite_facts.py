"""Facts in the SQLite store: rows beside the card version that states them.

In: `FactRow`s. Out: the same, by scope. A mixin of `SQLiteStore`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from zeromem.facts import FactRow
from zeromem.store.sqlite_tables import UseTables
from zeromem.types import Scope

_LAST = 2**62


class FactTables(UseTables):
    """What card versions state."""

    def add_facts(self, row: int, facts: Sequence[FactRow]) -> None:
        for fact in facts:
            self._queue("add_fact", (
                row, fact.start, fact.end, fact.subject, fact.slot, fact.value, fact.polarity, fact.modality, fact.about,
                fact.matter, fact.sense, fact.sign, fact.single, fact.change, fact.when, fact.valid_from, fact.valid_to,
                fact.share, fact.made_by,
            ))  # fmt: skip

    def facts_after(self, scope: Scope | None, after: int) -> Iterator[FactRow]:
        """Facts of all card versions with a row above `after`, in the order they were stored."""
        yield from map(_fact, self._in_scope("facts_after", scope, "c", after=after))

    def facts_on(self, scope: Scope, matter: str, about: str | None) -> list[FactRow]:
        given: dict[str, Any] = {"matter": matter} if about is None else {"matter": matter, "about": about}
        name = "facts_on_matter" if about is None else "facts_on"
        return [_fact(row) for row in self._in_scope(name, scope.without_session(), "c", **given)]

    def facts_under(self, scope: Scope, slot: str, about: str) -> list[FactRow]:
        """Those on any matter of a slot that holds many values, each of which is a matter of its own."""
        bounds: dict[str, Any] = {"low": f"{slot}\n", "high": f"{slot}\v", "about": about}
        return [_fact(row) for row in self._in_scope("facts_under", scope.without_session(), "c", **bounds)]

    def facts_of_rows(self, rows: Sequence[int], known_at: int | None = None) -> list[FactRow]:
        return [_fact(row) for row in self._by_ids("facts_of_rows", rows, _LAST if known_at is None else known_at)]

    def retold_rows(self, scope: Scope, after: int) -> list[int]:
        return [row for (row,) in self._in_scope("retold_rows", scope, "e", after=after) if row is not None]

    def known_rows(self, scope: Scope, at: int) -> list[int]:
        return [row for (row,) in self._in_scope("known_rows", scope, "c", at=at)]

    def drop_facts(self, row: int) -> None:
        self._flush()
        self._connection.execute(self._sql["drop_facts"], (row,))


def _fact(row: tuple[Any, ...]) -> FactRow:
    (id_, card, start, stop, subject, slot, value, polarity, modality, about, matter, sense, sign, single, change, when,
     valid_from, valid_to, share, made_by, at, owner, retold) = row  # fmt: skip
    at, *again = (at,) if retold is None else sorted({at, *map(int, retold.split(","))})
    return FactRow(
        id_, card, start, stop, subject, slot, value, polarity, modality, about, matter, sense, sign, bool(single),
        bool(change), when, valid_from, valid_to, share, made_by, at, owner, tuple(again),
    )  # fmt: skip
