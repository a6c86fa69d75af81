"""Writes a file whole or not at all, and never over something that the caller did not mean to lose.

In: a path, whether an existing file may be replaced, and the files that must not be touched. Out: an open text file that takes the
path's place when all is written. Until then it has a name of its own in the same folder; a symbolic link stays a link. Devices
and pipes are written as they are.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from zeromem.checks import checked_path
from zeromem.errors import InvalidInput, StoreError, ZeromemError

_BESIDE = ("", "-wal", "-shm", "-journal")  # a database and the files that SQLite keeps beside it


def database_files(path: str) -> list[str]:
    """The files of a database; none for one in memory."""
    return [] if path == ":memory:" else [os.path.realpath(path) + end for end in _BESIDE]


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool, protected: Sequence[str] = ()) -> Iterator[TextIO]:
    """A new file at `path`. Raises InvalidInput for a folder, an existing file without `overwrite`, or a protected file (also by
    another name), StoreError where the disk does not take it; then what was there before is there still."""
    path = checked_path(path)
    try:
        given, target = Path(path), Path(os.path.realpath(path))
        if (
            given.exists() and not given.is_file() and not given.is_dir()
        ):  # a device or a pipe; what it leads to has no name
            with given.open("w", encoding="utf-8", newline="\n") as out:
                yield out
            return
        _refuse(path, target, overwrite, protected)
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with part.open("x", encoding="utf-8", newline="\n") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            _refuse(path, target, overwrite, protected)  # somebody else may have written meanwhile
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except (ZeromemError, BrokenPipeError):
        raise
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be written: {error}; choose another place") from error


def _refuse(path: str | os.PathLike[str], target: Path, overwrite: bool, protected: Sequence[str]) -> None:
    for name in protected:
        if target == Path(os.path.realpath(name)) or (
            target.exists() and Path(name).exists() and target.samefile(name)
        ):
            raise InvalidInput(f"{path} is the open memory itself ({name}); choose another file")
    if target.is_dir():
        raise InvalidInput(f"{path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {target.parent}")
    if target.is_file() and not overwrite:
        raise InvalidInput(f"{path} exists already; overwrite=True (--force) replaces it")
