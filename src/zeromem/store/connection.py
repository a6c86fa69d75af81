"""Opens SQLite files safely and turns SQLite's errors into ours.

In: a path and the settings. Out: a connection in WAL mode with a busy time-out and foreign keys, and a list of warnings
about what the file looked like (a write-ahead log that ends in the middle of a record). Does not know any table.
"""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path

from zeromem.errors import ForeignFile, InvalidInput, StoreBusy, StoreError, StoreFull, ZeromemError
from zeromem.settings import Settings

_WAL_HEADER, _FRAME_HEADER = 32, 24


def connect(path: str, settings: Settings) -> sqlite3.Connection:
    """One connection: autocommit (transactions are explicit), usable from any thread, rows as plain tuples."""
    with translated(path):
        connection = sqlite3.connect(
            path, timeout=settings.busy_timeout, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            connection.execute(f"PRAGMA busy_timeout = {int(settings.busy_timeout * 1000)}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA cache_size = -{settings.page_cache_kb}")
            connection.execute("PRAGMA temp_store = MEMORY")
            _set_journal(connection, settings)
        except BaseException:
            connection.close()
            raise
    return connection


def _set_journal(connection: sqlite3.Connection, settings: Settings) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        # A read-only folder cannot switch to WAL; reading still works, and a write will say what is wrong.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'FULL' if settings.power_safe else 'NORMAL'}")


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
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(f"{path} is locked by another process; try again, or raise busy_timeout")
    if code == "SQLITE_FULL":
        return StoreFull(f"{path}: the disk is full; nothing of this call was stored; free space and call again")
    if code == "SQLITE_NOTADB":
        return ForeignFile(f"{path} is not an SQLite database; give zeromem a file of its own")
    if code.startswith("SQLITE_CORRUPT"):
        return StoreError(f"{path} is damaged ({error}); restore a backup, or `zeromem verify --repair` on a copy")
    if code.startswith("SQLITE_READONLY"):
        return StoreError(f"{path} cannot be written ({error}); check the rights of the file and its folder")
    if code.startswith("SQLITE_CANTOPEN"):
        return StoreError(f"{path} cannot be opened ({error}); check that the folder exists and may be written")
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
