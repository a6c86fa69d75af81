"""The embedded store: one SQLite file, many threads and processes, one transaction a call.

In: values of `types.py`. Out: the same, by scope. `write()` opens the transaction that rows, keyword index, links and
pointers share; vectors follow in transactions of their own. Decides nothing about memory: no ranking, no duplicates rule,
no text processing. The SQL stands in `sql/sqlite/queries.sql`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from zeromem.errors import StoreError, ZeromemError
from zeromem.forks import calls, watch
from zeromem.ids import MOST_NUMBER, split_pointer
from zeromem.ports import Op, Order
from zeromem.settings import Settings
from zeromem.store.connection import Connections, torn_log, translated
from zeromem.store.migrate import migrate
from zeromem.store.queries import queries, scope_test
from zeromem.store.rows import card_of, card_values, damaged, event_of, event_values, mendable_card_of, refuse_bytes
from zeromem.store.sqlite_history import ErasingTables, group
from zeromem.types import Card, Event, Scope, Span

_TABLES = ("uses", "recalls", "vectors", "terms", "facts", "refinements", "marks", "embedders", "pointers", "links", "cards", "retirements",
           "quarantine", "quarantine_links", "readings", "events", "forgotten", "erased", "spent", "retentions")  # fmt: skip
_INSERTS = ("add_event", "add_pointer", "add_card", "put_terms", "add_fact", "add_link", "add_mark")
_ALL = 2**62
_IN_LIST = 500  # below SQLite's limit of variables in old builds


class SQLiteStore(ErasingTables):
    """See `ports.Store` for the contract of every method."""

    def __init__(self, path: str, settings: Settings) -> None:
        self.path = path
        self.warnings = tuple(torn_log(path))
        self._settings = settings
        self._sql = queries("sqlite")
        self._lock = threading.RLock()  # of the writer; in memory, of everybody
        self._depth = 0
        self._writer = 0  # the thread that holds the write transaction
        self._next_row = 0
        self._queued: dict[str, list[tuple[Any, ...]]] = {}
        self._numbers: dict[tuple[str, str, str], int] = {}  # highest pointer numbers seen in this transaction
        with calls.inside():
            try:
                if path != ":memory:" and Path(path).is_dir():
                    raise StoreError(f"{path} is a folder; name a file in it")
                self._connections = Connections(path, settings, self._lock)
            except ZeromemError:
                raise
            except OSError as error:  # a name that is too long, for itself or with -wal behind it
                raise StoreError(f"{path:.80} cannot be opened ({error.strerror}); give another name") from None
            watch(self, SQLiteStore._renew, SQLiteStore._rest)
            if self._connections.frozen:
                self.warnings += (f"{path} and its folder cannot be written: opened for reading only",)
            try:
                with self._connections.borrowed() as connection, translated(path):
                    migrate(connection, path)
                self._finish()
            except BaseException:
                self._connections.close()
                raise

    def _rest(self) -> None:
        self._connections.rest()

    def _renew(self) -> None:
        self._lock = threading.RLock()
        self._connections.renew(self._lock)
        if self._writer != threading.get_ident():
            self._depth = 0

    # -- connections and transactions

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection of the transaction that this thread is in."""
        held = self._connections.held
        if held is None:
            raise StoreError(f"{self.path}: a change outside of write()")
        return held

    @contextmanager
    def write(self) -> Iterator[None]:
        """One write transaction for this thread; nested uses join it. Any error rolls all of it back."""
        with calls.inside(), self._lock, translated(self.path), self._connections.borrowed() as connection:
            self._depth += 1
            self._writer = threading.get_ident()
            try:
                if self._depth > 1:
                    yield
                    return
                connection.execute("BEGIN IMMEDIATE")
                try:
                    self._next_row = int(self._rows("next_card_row")[0][0])
                    self._numbers.clear()
                    yield
                    calls.check()
                    self._flush()
                    connection.execute("COMMIT")
                except BaseException:
                    self._queued.clear()
                    if not calls.torn and connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            finally:
                self._depth -= 1

    @contextmanager
    def read(self) -> Iterator[None]:
        """Several reads of one consistent state."""
        with self._connections.borrowed() as connection:
            if connection.in_transaction or self.path == ":memory:":  # in memory nobody else has the connection now
                yield
                return
            with translated(self.path):
                connection.execute("BEGIN")
                try:
                    yield
                finally:
                    if not calls.torn and connection.in_transaction:  # a damaged or full disk may have ended it
                        connection.execute("COMMIT")

    def close(self) -> None:
        """Wait for the write at hand, then lend no connection any more; reads at hand end with theirs."""
        if calls.torn:  # nothing here is this process's own
            return
        with calls.inside(), self._lock:
            self._connections.close()

    def _rows(self, name: str, values: dict[str, Any] | tuple[Any, ...] = (), **parts: str) -> list[Any]:
        sql = self._sql[name]
        if self._queued and self._depth and self._writer == threading.get_ident():
            self._flush()
        with translated(self.path), self._connections.borrowed() as connection:
            return connection.execute(sql.format(**parts) if parts else sql, values).fetchall()

    def _in_scope(
        self, name: str, scope: Scope | None, alias: str, *, by_session: bool = False, **values: Any
    ) -> list[Any]:
        test, ids = scope_test(scope, alias, session=by_session)
        return self._rows(name, {**values, **ids}, scope=test)

    def _by_ids(self, name: str, ids: Sequence[Any], *more: Any) -> Iterator[Any]:
        """Rows of a query with an IN list, `more` bound after it."""
        for start in range(0, len(ids), _IN_LIST):
            chunk = tuple(ids[start : start + _IN_LIST])
            yield from self._rows(name, (*chunk, *more), ids=",".join("?" * len(chunk)))

    def _queue(self, name: str, values: tuple[Any, ...]) -> None:
        """Put off an insert until the transaction ends or reads: many rows in one call cost half."""
        self._queued.setdefault(name, []).append(values)

    def _flush(self) -> None:
        queued, self._queued = self._queued, {}
        for name in sorted(queued, key=_INSERTS.index):
            self._connection.executemany(self._sql[name], queued[name])

    # -- events

    def add_event(self, event: Event) -> None:
        self._queue("add_event", event_values(event))

    def events(self, ids: Sequence[str]) -> list[Event]:
        return [event_of(row) for row in self._by_ids("events_by_id", ids)]

    def all_events(self, scope: Scope | None, spoilt: list[str] | None = None) -> Iterator[Event]:
        for _, event in self._every("events", scope, event_of, spoilt):
            yield event

    def _every(
        self, table: str, scope: Scope | None, make: Callable[[tuple[Any, ...]], Any], spoilt: list[str] | None
    ) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """Every row and its value; where there is a list for them, rows that were damaged are told there and left out."""
        after = 0
        name, alias = ("versions_after", "c") if table == "cards" else ("events_after", "e")
        while rows := self._in_scope(name, scope, alias, by_session=True, after=after, limit=1000):
            for row in rows:
                try:
                    if spoilt is not None:
                        refuse_bytes(table, row)
                    value = make(row)
                except StoreError as error:
                    if spoilt is None:
                        raise
                    spoilt.append(str(error))
                else:
                    yield row, value
            after = rows[-1][0]

    def session_events(self, scope: Scope, limit: int | None) -> list[Event]:
        rows = self._in_scope("session_events", scope, "e", by_session=scope.session is not None,
                              session=scope.session, limit=limit or _ALL)  # fmt: skip
        return [event_of(row) for row in rows]

    def source_events(self, source_id: str, scope: Scope) -> list[Event]:
        return [
            event_of(row) for row in self._in_scope("source_events", scope, "e", by_session=True, source_id=source_id)
        ]

    def orphans(self, event_ids: Sequence[str]) -> list[Card]:
        return [card_of(row) for row in self._by_ids("orphaned_cards", event_ids)]

    def deleted_hashes(self, event_ids: Sequence[str]) -> set[bytes]:
        return {bytes(key) for (key,) in self._by_ids("deleted_hashes", event_ids)}

    def said_spans(self, event_ids: Sequence[str]) -> set[tuple[str, int, int]]:
        return {tuple(row) for row in self._by_ids("said_spans", event_ids)}

    # -- cards

    def add_version(self, card: Card, op: Op, reason: str, digest: bytes, *, replaces: int | None = None) -> Card:
        row = self._next_row
        self._next_row += 1
        stored = replace(card, row=row, born=card.born or row)
        self._queue("add_card", card_values(stored, replaces, op, reason, digest))
        return stored

    def card(self, id_: str) -> tuple[Card, Op] | None:
        rows = self._rows("card_by_id", {"id": id_})
        return (card_of(rows[0]), rows[0][5]) if rows else None

    def versions(self, id_: str) -> list[tuple[Card, Op, str]]:
        return [(card_of(row), row[5], row[6]) for row in self._rows("versions", {"id": id_})]

    def cards(self, rows: Sequence[int]) -> dict[int, Card]:
        return {row[0]: card_of(row) for row in self._by_ids("cards_by_row", rows)}

    def same(self, digests: Sequence[bytes], scope: Scope) -> dict[bytes, Card]:
        found: dict[bytes, Card] = {}
        for row in self._by_ids("same_cards", digests, scope.user, scope.agent, scope.tenant):
            found[bytes(row[16])] = card_of(row)  # of several the newest: a fact told by hand again, after it had ended
        return found

    def cards_after(self, scope: Scope, order: Order, after: tuple[int, int], limit: int) -> list[Card]:
        rows = self._told(f"cards_by_{order}", scope, at=after[0], after=after[1], limit=limit)
        return [card_of(row) for row in rows]

    def session_rows(self, scope: Scope) -> list[int]:
        return [row for (row,) in self._told("session_rows", scope)]

    def said_in(self, card_ids: Sequence[str]) -> list[tuple[str, str, str | None]]:
        return [tuple(row) for row in self._by_ids("said_in", card_ids)]

    def _told(self, name: str, scope: Scope, **values: Any) -> list[Any]:
        """Cards of a scope; of a session those that it says, whichever said them first."""
        test, ids = scope_test(scope, "c")
        told = self._sql["told_in_session"] if scope.session is not None else "TRUE"
        return self._rows(name, {**values, **ids, "session": scope.session}, scope=test, told=told)

    def all_versions(
        self, scope: Scope | None, spoilt: list[str] | None = None
    ) -> Iterator[tuple[Card, int | None, Op, str, bytes]]:
        for row, card in self._every("cards", scope, card_of if spoilt is None else mendable_card_of, spoilt):
            yield card, row[3], row[5], row[6], row[16]

    # -- links and pointers

    def link(self, card_id: str, event_id: str, start: int, end: int) -> None:
        self._queue("add_link", (card_id, start, end, event_id))

    def spans(self, card_id: str) -> list[Span]:
        # Each event is read once: a long text that says the same a thousand times is linked a thousand times.
        with self.read():
            links = self._rows("card_links", {"id": card_id})
            events = {event.id: event for event in self.events(list(dict.fromkeys(id_ for id_, _, _ in links)))}
        if lost := next((id_ for id_, *_ in links if id_ not in events), None):
            raise damaged("events", lost, "no index leads to it")
        return [Span(events[id_], start, stop) for id_, start, stop in links]

    def all_links(self, scope: Scope | None) -> Iterator[tuple[str, str, int, int]]:
        yield from self._in_scope("links_after", scope, "e", by_session=True)

    def cards_of(self, event_id: str) -> list[Card]:
        # A long text that says the same twice leads to one card twice.
        return list({row[0]: card_of(row) for row in self._rows("event_cards", {"id": event_id})}.values())

    def claim_pointer(self, stems: Sequence[str], scope: Scope, card_id: str) -> str:
        owner, tenant = scope.owner, scope.tenant or ""
        unseen = [stem for stem in stems if (stem, owner, tenant) not in self._numbers]
        if unseen:
            sql = self._sql["highest_numbers"].format(ids=",".join("?" * len(unseen)))
            # Straight from the file: what is queued is of stems that have been seen, and need not be written for this.
            known = dict(self._connection.execute(sql, (owner, tenant, *unseen)).fetchall())
            spent = self.spent(owner, tenant)
            self._numbers.update(
                ((stem, owner, tenant), max(known.get(stem, 0), spent.get(group(stem), 0))) for stem in unseen
            )
        best = min(stems, key=lambda stem: self._numbers[stem, owner, tenant])
        # The first one bears no number: coffee, coffee2, coffee3 …
        number = self._numbers[best, owner, tenant] + 1
        if number > MOST_NUMBER:  # an import brought a high one: there is room below it
            least = self.spent(owner, tenant).get(group(best), 0)
            told = {"stem": best, "owner": owner, "tenant": tenant, "spent": least}
            number = int(self._rows("free_number", told)[0][0])
            if number > MOST_NUMBER:
                return self.claim_pointer([stem + "x" for stem in stems], scope, card_id)
        else:
            self._numbers[best, owner, tenant] = number
        self._queue("add_pointer", (best, owner, tenant, number, card_id))
        return best + (str(number) if number > 1 else "")

    def keep_pointer(self, pointer: str, scope: Scope, card_id: str) -> bool:
        place = split_pointer(pointer)
        if place is None:
            return False
        stem, number = place
        key = (stem, scope.owner, scope.tenant or "")
        if self._rows("pointer_taken", (*key, number)) or number <= self.spent(*key[1:]).get(group(stem), 0):
            return False
        self._queue("add_pointer", (*key, number, card_id))
        self._flush()
        self._numbers.pop(key, None)
        return True

    def pointed(self, pointer: str, scope: Scope | None) -> list[str]:
        place = split_pointer(pointer)
        if place is None:
            return []
        values: dict[str, Any] = {"stem": place[0], "number": place[1]}
        if scope is not None and scope.user is not None:
            return [id_ for (id_,) in self._rows("pointer_cards_of_owner", {**values, "owner": scope.owner})]
        return [id_ for (id_,) in self._rows("pointer_cards", values)]

    def scopes(self) -> list[Scope]:
        return [Scope(*row) for row in self._rows("scopes")]

    def erase(self) -> None:
        """Empty every table, then give the pages back, so that no byte of the old content stays in the file or its log.

        Raises StoreBusy where another process keeps reading the old content: then everything is deleted, and bytes of it stay.
        """
        with self.write():
            self._begin_erasing()
            for table in _TABLES:
                self._connection.execute(f"DELETE FROM {table}")
        self.scrub()
