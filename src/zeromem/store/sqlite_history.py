"""What the SQLite store knows of moments, and how it erases: retirements, changes, the rows of what is forgotten, the file's bytes.

In: ids, scopes, moments in microseconds. Out: the same; and the bytes that lie in the file and its logs, for the proof of an erasure.
Two mixins of `SQLiteStore`, which owns the connections.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from zeromem.clock import iso, micros
from zeromem.errors import StoreBusy, StoreError
from zeromem.forks import calls
from zeromem.ports import Op, Retirement
from zeromem.settings import Settings
from zeromem.store.connection import Connections, scrub
from zeromem.store.queries import scope_test
from zeromem.store.rows import card_values
from zeromem.store.sqlite_proposals import ProposalTables
from zeromem.types import Card, Scope

_LOGS = ("-wal", "-journal")  # the index -shm holds numbers of pages alone
_MAGIC = b"SQLite format 3\0"
_LAST = 2**62
# What goes with a card, and with an event, in this order: what leads to a row goes before it.
_OF_VERSIONS = ("erase_uses", "erase_vectors", "erase_terms", "erase_facts", "erase_refinements", "erase_versions")
_OF_CARDS = ("erase_links", "erase_pointers", "erase_marks")
_OF_EVENTS = ("erase_links_of_events", "erase_retirements", "erase_quarantine", "erase_readings", "erase_events")


class HistoryTables(ProposalTables):
    """When something changed."""

    def _changed(self, name: str, scope: Scope, **values: Any) -> list[Any]:
        """Versions of a scope; of a session those of the cards that it ever said."""
        told = self._sql["linked_in_session"] if scope.session is not None else "TRUE"
        test, ids = scope_test(scope, "c")
        return self._rows(name, {**values, **ids, "session": scope.session}, scope=test, told=told)

    def retire(self, event_ids: Iterable[str], at: str, reason: str) -> None:
        moment, ids = micros(at), list(event_ids)
        self._flush()
        self._connection.executemany(self._sql["retire_event"], [(moment, reason, id_) for id_ in ids])
        self._reread(ids)

    def unretire(self, event_ids: Iterable[str], at: str) -> None:
        moment, ids = micros(at), list(event_ids)
        self._flush()
        self._connection.executemany(self._sql["return_event"], [(moment, id_) for id_ in ids])
        self._reread(ids)

    def _reread(self, event_ids: Sequence[str]) -> None:
        """Where a card of these events was said at several times, which of them count is another matter now."""
        if any(self._by_ids("retold_by", event_ids)):
            self.next_epoch()

    def retired(self, scope: Scope | None) -> list[tuple[str, str, str]]:
        return [(one.event_id, one.at, one.reason) for one in self.retirements(scope) if one.returned is None]

    def retirements(self, scope: Scope | None) -> list[Retirement]:
        return [
            Retirement(id_, iso(at), reason, None if returned is None else iso(returned))
            for id_, at, reason, returned in self._in_scope("retirements", scope, "e", by_session=True)
        ]

    def events_stored(self, scope: Scope, first: int, last: int | None = None) -> list[str]:
        rows = self._in_scope(
            "events_stored", scope, "e", by_session=True, first=first, last=_LAST if last is None else last
        )
        return [id_ for (id_,) in rows]

    def changed_cards(self, scope: Scope, first: int, last: int | None = None) -> list[str]:
        return [
            id_ for (id_,) in self._changed("changed_cards", scope, first=first, last=_LAST if last is None else last)
        ]

    def last_change(self, scope: Scope) -> int | None:
        found = [moment for (moment,) in self._changed("last_change", scope)]
        (retired,) = self._in_scope("last_retirement", scope, "e", by_session=True)
        return max([*found, *(moment for moment in retired if moment is not None)], default=None)

    def last_moment(self) -> int:
        rows = self._rows("last_moment")
        return int(rows[0][0]) if rows else 0


def group(stem: str) -> int:
    """The group of a stem: one of 64, so that which stem was forgotten cannot be told from it."""
    return crc32(stem.encode()) % 64


class ErasingTables(HistoryTables):
    """Erasing rows for good, and looking at what bytes are left."""

    path: str
    warnings: tuple[str, ...]
    _settings: Settings
    _lock: threading.RLock
    _connections: Connections
    _numbers: dict[tuple[str, str, str], int]

    def write(self) -> AbstractContextManager[None]:
        raise TypeError("a mixin of SQLiteStore")

    def source_story(self, source_id: str, scope: Scope) -> list[str]:
        rows = self._in_scope("source_story", scope, "e", by_session=True, source_id=source_id)
        return [id_ for (id_,) in rows]

    def source_parts(self, source_id: str, scope: Scope) -> list[str]:
        """The source, and the ids under which imports put what it said later: `x`, `x+12`, `x+30`, of its own sessions, each with no more
        than the events before it."""
        told: dict[str, tuple[set[str | None], int]] = {}
        values = {"source_id": source_id, "first": source_id + "+", "after": source_id + ","}
        for name, session, count in self._in_scope("source_parts", scope, "e", by_session=True, **values):
            sessions, before = told.get(name, (set(), 0))
            told[name] = (sessions | {session}, before + count)
        sessions, said = told.pop(source_id, (set(), 0))
        parts = [source_id]
        numbers = [int(end) for name in told if (end := name[len(source_id) + 1 :]).isdecimal()]
        for number in sorted(numbers):
            found, count = told.get(f"{source_id}+{number}", (None, 0))
            if found is not None and number <= said and found <= sessions:
                parts.append(f"{source_id}+{number}")
                said += count
        return parts

    def linked_cards(self, event_ids: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(id_ for (id_,) in self._by_ids("linked_cards", event_ids)))

    def spend(self, card_ids: Sequence[str]) -> None:
        self._flush()
        self._numbers.clear()
        held = list(self._by_ids("pointers_of", card_ids))
        rows = [(owner, tenant, group(stem), number) for stem, owner, tenant, number in held]
        self._connection.executemany(self._sql["spend"], rows)

    def spent(self, owner: str, tenant: str) -> dict[int, int]:
        """The highest forgotten number of each group of stems."""
        return dict(self._connection.execute(self._sql["spent"], (owner, tenant)).fetchall())

    def mark_erased(self, ids: Iterable[str]) -> None:
        self._connection.executemany(self._sql["add_erased"], [(id_,) for id_ in ids])

    def erased(self, ids: Sequence[str]) -> set[str]:
        return {id_ for (id_,) in self._by_ids("erased", ids)}

    def erase_cards(self, ids: Sequence[str]) -> dict[str, int]:
        self._begin_erasing()
        self.spend(ids)
        rows = {name.removeprefix("erase_"): self._erase(name, ids) for name in (*_OF_VERSIONS, *_OF_CARDS)}
        # What followed for another card from what is gone bears its words.
        rows["facts"] += self._connection.execute(self._sql["erase_followed"]).rowcount
        return rows

    def erase_events(self, ids: Sequence[str]) -> dict[str, int]:
        self._begin_erasing()
        return {name.removeprefix("erase_"): self._erase(name, ids) for name in _OF_EVENTS}

    def erase_recalls(self, scope: Scope) -> int:
        self._begin_erasing()
        self._in_scope("erase_session_uses", scope, "c", by_session=True)
        before = self._connection.total_changes
        self._in_scope("erase_recalls", scope, "c", by_session=True)
        return self._connection.total_changes - before

    def set_versions(self, versions: Sequence[tuple[Card, Op, str, bytes]]) -> None:
        """Put these versions of one card, in order and with their rows, in the place of all that it has."""
        self._begin_erasing()
        for name in _OF_VERSIONS:
            self._erase(name, [versions[0][0].id])
        self._connection.execute(self._sql["add_card"], card_values(versions[0][0], None, *versions[0][1:]))
        for (before, *_), (card, op, reason, digest) in pairwise(versions):
            self._connection.execute(self._sql["add_card"], card_values(card, before.row, op, reason, digest))

    def mark_forgotten(self, cards: Iterable[tuple[str, Scope]], at: str) -> None:
        moment = micros(at)
        rows = [(id_, scope.tenant, scope.user, scope.agent, moment) for id_, scope in cards]
        self._connection.executemany(self._sql["add_forgotten"], rows)

    def forgotten(self, card_id: str) -> tuple[Scope, str] | None:
        rows = self._rows("forgotten", (card_id,))
        return (Scope(*rows[0][:3]), iso(rows[0][3])) if rows else None

    def _erase(self, name: str, ids: Sequence[str]) -> int:
        before = self._connection.total_changes
        for _ in self._by_ids(name, ids):
            pass
        return self._connection.total_changes - before

    def _begin_erasing(self) -> None:
        """Nobody goes on reading what was, and whoever opens the file after a crash finishes the work."""
        self._flush()
        self.next_epoch()
        self._connection.execute(self._sql["keep_rows"])
        self._connection.execute(self._sql["begin_erasing"])

    def erasing(self) -> int | None:
        """The epoch of an erasure whose bytes may still be in the file or its log."""
        rows = self._rows("erasing")
        return rows[0][0] if rows else None

    def scrub(self, patience: float | None = None) -> bool:
        """Take the bytes of what was erased out of the file and its log; False where nothing waits for that.

        Raises StoreBusy where somebody goes on reading the old content for `patience` seconds (default: the busy time-out).
        """
        epoch = self.erasing()
        if epoch is None:
            return False
        with calls.inside(), self._lock, self._connections.borrowed() as connection:
            scrub(connection, self.path, self._settings.busy_timeout if patience is None else patience)
        with self.write():  # an erasure that came meanwhile has another epoch, and stays marked
            self._connection.execute(self._sql["end_erasing"], (epoch,))
        return True

    def _finish(self) -> None:
        """End an erasure that a crash or a reader cut short; who still reads is not waited for, and what cannot be written is read."""
        if self._connections.frozen or self.erasing() is None:
            return
        try:
            self.scrub(0)
        except (StoreBusy, StoreError) as error:
            self.warnings += (f"bytes of what was forgotten may still be in the file: {error}",)

    def images(self) -> dict[str, bytes]:
        """What lies in the file and in the logs beside it, by name: every page, free ones too, and every byte of the logs.

        The pages come from SQLite: in a process that has a database open, opening and closing its file by other means would drop
        SQLite's locks on it, and another process could then damage it. Raises StoreError where this SQLite cannot give them.
        """
        with self.write():  # nobody writes meanwhile
            if not hasattr(self._connection, "serialize"):
                raise StoreError("the SQLite of this Python cannot show its pages, so the file was not searched")
            images = {Path(self.path).name: self._connection.serialize()}
            logs = [] if self.path == ":memory:" else [Path(self.path + ending) for ending in _LOGS]
            return images | {log.name: log.read_bytes() for log in logs if log.exists()}

    def contents(self) -> Iterator[bytes]:
        """What the file rightly holds: every row of every table, its texts and bytes joined as they stand in the file."""
        yield _MAGIC
        with self.read():
            connection = self._connection
            connection.text_factory = bytes
            try:
                yield from map(_joined, self._rows("schema_texts"))
                for (table,) in self._rows("tables"):
                    sql = self._sql["everything_of"].format(table=table.decode())
                    yield from map(_joined, _rows_of(connection, sql))
            finally:
                connection.text_factory = str


def _rows_of(connection: sqlite3.Connection, sql: str) -> Iterator[tuple[Any, ...]]:
    yield from connection.execute(sql)


def _joined(row: tuple[Any, ...]) -> bytes:
    return b"".join(value for value in row if isinstance(value, bytes)) + b"\0"
