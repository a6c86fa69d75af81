"""What a model read and proposed, in the SQLite store: readings, the quarantine, and which cards stand on which words.

In: readers, events, entries, ids of cards. Out: the same. A mixin of `SQLiteStore`; its SQL stands in `queries_proposals.sql`.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeromem.clock import iso, micros
from zeromem.proposals import Quarantined, Verdict
from zeromem.store.rows import card_of, event_of
from zeromem.store.sqlite_refined import RefinedTables
from zeromem.types import Card, Event, Scope


class ProposalTables(RefinedTables):
    """What is derived by a model, and what is not."""

    def unread(self, scope: Scope, reader: str, after: int, limit: int) -> list[tuple[int, Event, int]]:
        rows = self._in_scope("unread_events", scope, "e", by_session=True, reader=reader, after=after, limit=limit)
        return [(row[0], event_of(row[:-1]), row[-1]) for row in rows]

    def read_by(self, reader: str, event_ids: Sequence[str], state: str, at: int) -> None:
        self._flush()
        self._connection.executemany(self._sql["put_reading"], [(reader, state, at, id_) for id_ in event_ids])

    def quarantine(self, entry: Quarantined) -> None:
        self._flush()
        scope = entry.scope
        self._connection.execute(
            self._sql["put_quarantined"],
            (entry.id, scope.tenant, scope.user, scope.agent, scope.session, entry.text, entry.reason, entry.made_by,
             entry.role, entry.speaker, micros(entry.at)),
        )  # fmt: skip
        self._connection.executemany(
            self._sql["put_quarantine_link"], [(entry.id, id_, id_ == entry.source) for id_ in entry.events]
        )

    def quarantined(self, scope: Scope | None, verdict: Verdict | None = None) -> list[Quarantined]:
        rows = self._in_scope("quarantined", scope, "c", by_session=True, verdict=verdict)
        events: dict[str, list[str]] = {}
        source: dict[str, str] = {}
        for id_, event, main in self._by_ids("quarantine_events", [row[0] for row in rows]):
            events.setdefault(id_, []).append(event)
            source |= {id_: event} if main else {}
        return [
            Quarantined(
                id_,
                Scope(*ids),
                text,
                reason,
                made_by,
                iso(at),
                role,
                speaker,
                source.get(id_),
                tuple(events.get(id_, ())),
                told,
            )
            for id_, *ids, text, reason, made_by, role, speaker, at, told, _ in rows
        ]

    def decide(self, id_: str, verdict: Verdict, at: int) -> None:
        self._flush()
        self._connection.execute(self._sql["decide"], (verdict, at, id_))

    def derived_alone(self, card_id: str) -> list[Card]:
        return [card_of(row) for row in self._rows("derived_alone", {"id": card_id})]

    def unread_again(self, card_ids: Sequence[str]) -> None:
        """What these cards were derived from is read again, should its words come back."""
        self._flush()
        for _ in self._by_ids("drop_readings", card_ids):
            pass

    def stands_on(self, card_ids: Sequence[str]) -> dict[str, list[int]]:
        out: dict[str, list[int]] = {}
        for id_, row in self._by_ids("stands_on", card_ids):
            out.setdefault(id_, []).append(row)
        return out
