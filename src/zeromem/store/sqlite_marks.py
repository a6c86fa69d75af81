"""Marks, usage and retentions in the SQLite store: what upkeep reads and writes.

In: marks, scopes, ids of cards. Out: the same. A mixin of `SQLiteStore`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from zeromem.ports import Mark, Retention, Usage
from zeromem.store.sqlite_facts import FactTables
from zeromem.types import Scope


class MarkTables(FactTables):
    """What was decided of cards beside their words."""

    def add_marks(self, marks: Iterable[Mark]) -> None:
        for mark in marks:
            self._queue("add_mark", (mark.card_id, mark.mark, mark.at, mark.why, mark.who))

    def marks_of(self, card_ids: Sequence[str]) -> dict[str, list[Mark]]:
        out: dict[str, list[Mark]] = {}
        for row in self._by_ids("marks_of", card_ids):
            out.setdefault(row[0], []).append(Mark(*row))
        return out

    def withdrawn(self, digests: Sequence[bytes], scope: Scope) -> dict[bytes, str]:
        """By digest the id of the last card that said these words, where its source took it back and no hand deleted it."""
        rows = self._by_ids("withdrawn_cards", digests, scope.user, scope.agent, scope.tenant)
        last = {bytes(key): (id_, by_hand) for key, id_, by_hand in rows}
        return {key: id_ for key, (id_, by_hand) in last.items() if not by_hand}

    def marks_after(self, scope: Scope, after: int) -> Iterator[tuple[int, str]]:
        yield from self._in_scope("marks_after", scope, "c", after=after)

    def usage(self, card_ids: Sequence[str]) -> dict[str, Usage]:
        said = {id_: (count, at) for id_, count, at in self._by_ids("sayings", card_ids)}
        uses = {id_: more for id_, *more in self._by_ids("uses_of", card_ids)}
        out = {}
        for id_ in card_ids:
            count, at = said.get(id_, (0, 0))
            shown, used, last = uses.get(id_, (0, 0, None))
            out[id_] = Usage(count, shown or 0, used, max(at, last or 0), at)
        return out

    def retentions(self) -> list[Retention]:
        return [
            Retention(Scope(tenant or None, user or None, agent or None), kind, days, action)
            for tenant, user, agent, kind, days, action in self._rows("retentions")
        ]

    def set_retention(self, scope: Scope, kind: str, days: float | None, action: str) -> None:
        key = (scope.tenant or "", scope.user or "", scope.agent or "", kind)
        self._flush()
        if days is None:
            self._connection.execute(self._sql["drop_retention"], key)
        else:
            self._connection.execute(self._sql["set_retention"], (*key, days, action))
