"""Refinements in the SQLite store: what upkeep made of card versions, and taking it back.

In: `Refinement`s, rows of card versions, scopes. Out: the same. A mixin of `SQLiteStore`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from zeromem.refinements import Refinement
from zeromem.store.rows import card_of, dump, load, pack, unpack
from zeromem.store.sqlite_marks import MarkTables
from zeromem.types import Card, Scope


class RefinedTables(MarkTables):
    """What lies over the words of cards."""

    def refine(self, made: Sequence[Refinement], at: int, change: int = 0) -> int:
        self._flush()
        change = change or int(self._rows("next_change")[0][0])
        self._connection.executemany(self._sql["add_refinement"], [
            (change, one.row, one.op, one.text, one.inside, one.tokens, pack(one.parts), at, one.why, one.made_by, dump(one.lost))
            for one in made
        ])  # fmt: skip
        return change

    def refined(self, rows: Sequence[int]) -> dict[int, Refinement]:
        return {row[2]: _refinement(row) for row in self._by_ids("refined", rows)}

    def refinements_of(self, card_id: str) -> list[Refinement]:
        return [_refinement(row) for row in self._rows("refinements_of", {"id": card_id})]

    def refinements_after(self, scope: Scope, after: int) -> Iterator[tuple[int, int | None]]:
        yield from self._in_scope("refinements_after", scope, "c", after=after)

    def left_alone(self, rows: Sequence[int]) -> set[int]:
        return {row for (row,) in self._by_ids("left_alone", rows)}

    def change_rows(self, change: int, scope: Scope | None) -> list[int] | None:
        rows = [row for (row,) in self._in_scope("change_rows", scope, "c", change=change)]
        return rows if rows or self._in_scope("changed_once", scope, "c", change=change) else None

    def unrefine(self, rows: Sequence[int], at: int, why: str, made_by: str) -> int:
        met: dict[int, bool] = {}
        self._flush()
        for row in rows:
            if row not in met:
                met.update((other, bool(undone)) for other, undone in self._rows("refined_with", {"row": row}))
        gone = [row for row, undone in met.items() if not undone]
        if gone:
            self.refine([Refinement(row, "undo", None, None, 0, (), why, made_by) for row in gone], at)
        return len(gone)

    def derived(self, card_id: str) -> list[Card]:
        return [card_of(row) for row in self._rows("derived", {"id": card_id})]

    def sessions(self, scope: Scope) -> list[tuple[str, int, int, int, int]]:
        return [tuple(row) for row in self._in_scope("sessions_of", scope, "c")]

    def cards_of_kind(self, scope: Scope, kind: str) -> list[Card]:
        return [card_of(row) for row in self._in_scope("cards_of_kind", scope, "c", kind=kind)]

    def deleted_of_kind(self, scope: Scope, kind: str) -> set[str | None]:
        return {session for (session,) in self._in_scope("deleted_of_kind", scope, "c", kind=kind)}

    def storage(self, scope: Scope | None) -> tuple[int, int]:
        said, shown = self._in_scope("storage", scope, "c")[0]
        return int(said), int(shown)


def _refinement(row: tuple[Any, ...]) -> Refinement:
    id_, change, version, op, text, inside, tokens, parts, at, why, made_by, lost = row
    return Refinement(version, op, text, inside, tokens, unpack(parts), why, made_by, load(lost), id_, change, at)
