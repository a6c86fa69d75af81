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
_DAMAGED = "{} is damaged ({}); restore a backup, or `zeromem verify --repair` on a copy"
_WRITTEN = "{}, which can only be read from here, was written by another process meanwhile; call again"


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
        first, self._seen = _first(path, settings)
        self._idle = [first]
        self._lent: set[sqlite3.Connection] = set()
        self._stale: set[sqlite3.Connection] = set()  # lent ones that hold pages of a file that was written since

    @property
    def frozen(self) -> bool:
        """The file is read as it lies: SQLite can put no lock on it."""
        return self._seen is not None

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
        with calls.inside(), self._turn:
            connection = self._local.connection = self._take()
            seen = self._seen
            try:
                with _steady(self._path, seen):
                    yield connection
            finally:
                self._local.connection = None
                self._give_back(connection)

    def close(self) -> None:
        self._closed = True
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
            if self._seen is not None and self._seen != _look(self._path):
                self._thaw()
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            if self._seen is not None:
                connection = connect(self._path, self._settings, frozen=True)
            else:  # the index that made it readable may be gone with its owner
                connection, self._seen = _first(self._path, self._settings)
        self._lent.add(connection)
        return connection

    def _thaw(self) -> None:
        """Open a frozen file anew, which somebody wrote; it may be one with a log and locks now."""
        first, self._seen = _first(self._path, self._settings)
        idle, self._idle = self._idle, [first]
        self._stale |= self._lent
        for connection in idle:
            connection.close()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if calls.torn:  # it is the parent's
            return
        self._lent.discard(connection)
        with self._guard:
            own = connection not in self._stale
            self._stale.discard(connection)
            if own and not self._closed and not connection.in_transaction and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()


_Look = tuple[int, ...]


def _look(path: str) -> _Look:
    """What tells whether somebody wrote the file: which file it is, its size and times, the size of its log."""
    try:
        file = Path(path).stat()
    except OSError:
        return ()
    log = Path(path + "-wal")
    return (
        file.st_dev,
        file.st_ino,
        file.st_size,
        file.st_mtime_ns,
        file.st_ctime_ns,
        log.stat().st_size if log.exists() else 0,
    )


def _first(path: str, settings: Settings) -> tuple[sqlite3.Connection, _Look | None]:
    """The first connection, and the look of a file that can only be read.

    A file in WAL mode wants its index (`-shm`) beside it, also for reading. Where the folder takes none and no log waits to be
    read, the file alone is the whole content: it is opened as immutable, which SQLite believes. Another user may write it all
    the same, so its look is compared before and after each use. What that cannot see: a write within the clock tick of the last
    one that leaves the size as it was.
    """
    look = _look(path)
    try:
        return connect(path, settings), None
    except StoreError as error:
        name = getattr(error.__cause__, "sqlite_errorname", "") or ""
        if not name.startswith(_FROZEN) or not look:
            raise
        if look[-1]:
            raise StoreError(
                f"{path}: its newest words are in {path}-wal, which cannot be read from here; let its owner close the memory, or "
                "copy the file with the files beside it (-wal, -shm) to a folder of yours"
            ) from error
    return connect(path, settings, frozen=True), look


@contextlib.contextmanager
def _steady(path: str, seen: _Look | None) -> Iterator[None]:
    """Raise StoreError where a frozen file was written while it was read: what was read may be of two states."""
    try:
        yield
    except (sqlite3.Error, ZeromemError) as error:
        if seen is not None and seen != _look(path):
            raise StoreError(_WRITTEN.format(path)) from error
        raise
    if seen is not None and seen != _look(path):
        raise StoreError(_WRITTEN.format(path))


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
    (usual,) = connection.execute("PRAGMA busy_timeout").fetchone()
    written = False
    with translated(path):
        try:
            connection.execute(f"PRAGMA busy_timeout = {min(usual, int(patience * 1000))}")
            while True:
                try:
                    if not written:
                        connection.execute("VACUUM")
                        written = True
                    if not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                        return
                except sqlite3.OperationalError as error:
                    if not error.sqlite_errorname.startswith(_BUSY):
                        raise
                if time.monotonic() >= end:
                    raise StoreBusy(
                        f"{path}: everything is deleted, but bytes of it stay in the file or its log while another process "
                        "reads it; end that process and open the memory again, or reset again"
                    )
                time.sleep(0.02)
        finally:
            connection.execute(f"PRAGMA busy_timeout = {usual}")


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise our typed errors for SQLite's: busy, full, corrupt or foreign, unreadable."""
    try:
        yield
    except sqlite3.Error as error:
        raise _typed(path, error) from error
    except UnicodeDecodeError as error:
        raise StoreError(_DAMAGED.format(path, error)) from error
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
    if code.startswith("SQLITE_CORRUPT") or "Could not decode" in str(error):
        return StoreError(_DAMAGED.format(path, error))
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
