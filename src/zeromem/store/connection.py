"""Opens SQLite files safely, lends their connections out, and turns SQLite's errors into ours.

In: a path and the settings. Out: connections in WAL mode with a busy time-out and foreign keys, each used by one thread at a
time, and a list of warnings about what the file looked like (a write-ahead log that ends in the middle of a record). Does not
know any table.
"""

from __future__ import annotations

import contextlib
import ctypes
import sqlite3
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from zeromem.errors import ForeignFile, InvalidInput, StoreBusy, StoreError, StoreFull, ZeromemError
from zeromem.forks import calls
from zeromem.settings import Settings

_WAL_HEADER, _FRAME_HEADER = 32, 24
_IDLE = 4  # connections kept for the next call; more are opened while more threads are at work, and closed after
_FROZEN = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")


class Connections:
    """Connections to one file. A call borrows one and gives it back, so none is ever used by two threads or outlives its use.

    A database in memory belongs to its one connection: whoever borrows it holds `lock` meanwhile. What a thread borrows while
    it holds one is the same one. After `close` nothing is lent any more, and what is lent is closed when it comes back. None
    crosses a fork, but the one in memory, of which the child has a copy.
    """

    def __init__(self, path: str, settings: Settings, lock: threading.RLock) -> None:
        self._path = path
        self._settings = settings
        self._turn = lock if path == ":memory:" else contextlib.nullcontext()
        self._guard = threading.Lock()
        self._local = threading.local()
        self._closed = False
        first, self.frozen = _first(path, settings)
        self._idle = [first]
        self._lent: set[sqlite3.Connection] = set()

    @property
    def held(self) -> sqlite3.Connection | None:
        """What this thread has borrowed. Raises StoreError in a child that was forked meanwhile."""
        calls.check()
        return getattr(self._local, "connection", None)

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[sqlite3.Connection]:
        """A connection of this thread's own for the length of a `with`. Raises StoreError once closed."""
        held = self.held
        if held is not None:
            yield held
            return
        with self._turn, calls.inside():
            connection = self._local.connection = self._take()
            try:
                yield connection
            finally:
                self._local.connection = None
                self._give_back(connection)

    def close(self) -> None:
        self._closed = True
        if not calls.torn:
            with calls.inside():
                self._close_idle()

    def rest(self) -> None:
        """Close what nobody uses; both processes open anew. A database in memory is copied as it is."""
        if self._path != ":memory:":
            self._close_idle()

    def renew(self, lock: threading.RLock) -> None:
        """In the child: leave what a call of the parent had borrowed alone for ever, also when this process ends."""
        for connection in self._lent:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._lent = set()
        self._turn = lock if self._path == ":memory:" else contextlib.nullcontext()
        self._guard = threading.Lock()
        self._local = threading.local()

    def _close_idle(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        with self._guard:
            if self._closed:
                raise StoreError(f"{self._path} is closed; open it again")
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = connect(self._path, self._settings, frozen=self.frozen)
        self._lent.add(connection)
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if calls.torn:  # it is the parent's
            return
        self._lent.discard(connection)
        with self._guard:
            if not self._closed and not connection.in_transaction and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()


def _first(path: str, settings: Settings) -> tuple[sqlite3.Connection, bool]:
    """The first connection, and whether the file can only be read.

    A file in WAL mode wants its index (`-shm`) beside it, also for reading. Where the folder takes none and no log waits to be
    read, the file alone is the whole content, and nobody can change it: it is opened as immutable.
    """
    try:
        return connect(path, settings), False
    except StoreError as error:
        name = getattr(error.__cause__, "sqlite_errorname", "") or ""
        log = Path(path + "-wal")
        if not name.startswith(_FROZEN) or not Path(path).is_file() or (log.exists() and log.stat().st_size):
            raise
    return connect(path, settings, frozen=True), True


def connect(path: str, settings: Settings, *, frozen: bool = False) -> sqlite3.Connection:
    """One connection: autocommit (transactions are explicit), usable from any thread, rows as plain tuples."""
    name = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1" if frozen else path
    with translated(path):
        connection = sqlite3.connect(
            name, timeout=settings.busy_timeout, isolation_level=None, check_same_thread=False, cached_statements=256,
            uri=frozen,
        )  # fmt: skip
        try:
            connection.execute(f"PRAGMA busy_timeout = {int(settings.busy_timeout * 1000)}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA cache_size = -{settings.page_cache_kb}")
            connection.execute("PRAGMA temp_store = MEMORY")
            if not frozen:
                _set_journal(connection, settings)
            connection.execute(
                "PRAGMA schema_version"
            ).fetchone()  # the first real look at the file: fail here, not later
        except BaseException:
            connection.close()
            raise
    return connection


def _set_journal(connection: sqlite3.Connection, settings: Settings) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # A file without rights to write stays in the mode it has and is read; one that another process is just
            # switching will be switched.
            if not error.sqlite_errorname.startswith((*_FROZEN, *_BUSY)):
                raise
    connection.execute(f"PRAGMA synchronous = {'FULL' if settings.power_safe else 'NORMAL'}")


def scrub(connection: sqlite3.Connection, path: str, patience: float) -> None:
    """Write the file anew and empty its log, so that deleted bytes are in neither.

    Raises StoreBusy where another connection still reads an old state after `patience` seconds.
    """
    end = time.monotonic() + patience
    with translated(path):
        while True:
            try:
                connection.execute("VACUUM")
                if not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith(_BUSY):
                    raise
            if time.monotonic() >= end:
                raise StoreBusy(
                    f"{path}: everything is deleted, but bytes of it stay in the file or its log while another process "
                    "reads it; end that process and reset again"
                )
            time.sleep(0.02)


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise our typed errors for SQLite's: busy, full, corrupt or foreign, unreadable."""
    try:
        yield
    except sqlite3.Error as error:
        raise _typed(path, error) from error
    except UnicodeEncodeError as error:  # texts never get here with one; ids and names of a call may
        raise InvalidInput(
            f"an id or name holds a lone surrogate, which no file can carry: {error.object!r:.80}"
        ) from None


def _typed(path: str, error: sqlite3.Error) -> ZeromemError:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith(_BUSY):
        return StoreBusy(f"{path} is locked by another process; try again, or raise busy_timeout")
    if code in ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"):  # no room for the file, or for the index of its log
        return StoreFull(f"{path}: the disk is full; nothing of this call was stored; free space and call again")
    if code == "SQLITE_NOTADB":
        return ForeignFile(f"{path} is not an SQLite database; give zeromem a file of its own")
    if code.startswith("SQLITE_CORRUPT"):
        return StoreError(f"{path} is damaged ({error}); restore a backup, or `zeromem verify --repair` on a copy")
    if code.startswith("SQLITE_READONLY"):
        return StoreError(f"{path} cannot be written ({error}); check the rights of the file and its folder")
    if code.startswith("SQLITE_CANTOPEN"):
        return StoreError(
            f"{path} cannot be opened ({error}); check that the folder exists and may be written, "
            "or copy the file with the files beside it (-wal, -shm) to a folder of yours"
        )
    if code.startswith("SQLITE_CONSTRAINT"):
        return StoreError(f"{path}: what this call began with is gone (was the memory reset meanwhile?); call again")
    return StoreError(f"{path}: {error}")


def torn_log(path: str) -> list[str]:
    """Warnings about a write-ahead log that ends inside a record (look before SQLite opens and trims it)."""
    log = Path(path + "-wal")
    try:
        size = log.stat().st_size
        if size <= _WAL_HEADER:
            return []
        with log.open("rb") as file:
            page = struct.unpack(">I", file.read(12)[8:12])[0]
    except OSError:
        return []
    frame = _FRAME_HEADER + (65536 if page == 1 else page)
    whole, rest = divmod(size - _WAL_HEADER, frame)
    if not rest:
        return []
    return [
        f"{log.name}: record {whole + 1} is damaged (it ends after {rest} of {frame} bytes); "
        "the write that it belonged to is lost, everything before it is intact"
    ]
