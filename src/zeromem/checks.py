"""Small checks of arguments at the boundary, each an InvalidInput that names the argument.

In: what a caller gave. Out: the same, or a copy that is safe to keep.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from zeromem.errors import InvalidInput

MOST = 2**31 - 1
_DEEPEST = 100  # deeper than any schema or record in the wild, and far from Python's recursion limit


def deeper(value: object, most: int) -> bool:
    """Whether lists and mappings are nested more than `most` deep; never by recursion, which such a value would exhaust."""
    level = {id(value): value}  # a value that holds itself, or another one twice, is walked once a level
    for _ in range(most + 1):
        inner = (
            each
            for one in level.values()
            if isinstance(one, Mapping | list | tuple | set | frozenset)
            for each in (one.values() if isinstance(one, Mapping) else one)
        )
        level = {id(each): each for each in inner}
        if not level:
            return False
    return True


def checked_text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, not {type(value).__name__}")
    if not value.strip():
        raise InvalidInput(f"{name} is blank")
    return value


def checked_path(value: object) -> str:
    """The name of a file as a string: a str or a path of str that a file system can carry."""
    name = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(name, str):
        raise InvalidInput(f"path must be a string or a Path, not {type(value).__name__}")
    if not name.strip() or "\0" in name:
        raise InvalidInput(f"path must be a file name without NUL, or ':memory:', not {name!r:.80}")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise InvalidInput(f"path holds a character that no file name can carry: {name!r:.80}") from None
    return name


def checked_embedder(value: Any) -> Any:
    """An embedder that has what the port asks for, or None. Raises InvalidInput that names what is missing or wrong."""
    if value is None:
        return None
    for name, kind in (("name", str), ("version", str), ("dimension", int), ("usual", tuple | list)):
        if not isinstance(getattr(value, name, None), kind):
            raise InvalidInput(f"embedder must be a known name or an object with .{name}, see zeromem.ports.Embedder")
    if missing := [name for name in ("passages", "query") if not callable(getattr(value, name, None))]:
        raise InvalidInput(f"embedder has no method {missing[0]}(), see zeromem.ports.Embedder")
    if value.dimension < 1 or len(value.usual) != 2:
        raise InvalidInput("embedder must have a dimension above 0 and a mean and a deviation as .usual")
    return value


def checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy of the metadata as JSON would give it back. Raises InvalidInput for what JSON cannot hold."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(metadata).__name__}")
    bad = next((key for key in metadata if not isinstance(key, str)), None)
    if bad is not None:
        raise InvalidInput(f"metadata keys are strings, not {shown(bad)}")
    if deeper(metadata, _DEEPEST):
        raise InvalidInput(f"metadata is nested more than {_DEEPEST} deep, or in itself; flatten it")
    try:
        text = json.dumps(dict(metadata), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata must be plain JSON values: {error}") from None
    copy: dict[str, Any] = json.loads(text)
    return copy


def checked_source(source_id: object, mode: object) -> None:
    if mode not in ("append", "replace"):
        raise InvalidInput(f"mode must be 'append' or 'replace', not {shown(mode)}")
    if source_id is not None:
        checked_text(source_id, "source_id")
    elif mode == "replace":
        raise InvalidInput("mode='replace' needs source_id: it names what is replaced")


def checked_outcome(outcome: object) -> float | None:
    """An outcome as a number from -1 to 1; True is 1, False -1."""
    if outcome is None:
        return None
    if isinstance(outcome, bool):
        return 1.0 if outcome else -1.0
    if isinstance(outcome, int | float) and -1 <= outcome <= 1:
        return float(outcome)
    raise InvalidInput(f"outcome must be True, False or a number from -1 to 1, not {shown(outcome)}")


def shown(value: object) -> str:
    """A wrong value in a message, short whatever it is; an integer of 5,000 digits cannot even be printed."""
    return "so large a number" if isinstance(value, int) and abs(value) > 10**18 else repr(value)[:60]


def did_you_mean(name: str, known: Iterable[str], form: str = "{}") -> str:
    """ " (did you mean …?)" with the known name that is nearest, or nothing."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {form.format(near[0])}?)" if near else ""


def checked_limit(value: object, name: str = "limit") -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MOST:
        raise InvalidInput(f"{name} must be a whole number from 1 to {MOST:,}, not {shown(value)}")
    return value


def checked_storage(storage: object) -> float:
    """Characters, a share below 1 of what was said, or 0 for no end."""
    if isinstance(storage, int | float) and not isinstance(storage, bool) and 0 <= storage < float("inf"):
        return float(storage)
    raise InvalidInput(
        f"storage must be a number of characters, a share below 1, or 0 for no end, not {shown(storage)}"
    )


def http_address(url: str) -> bool:
    """Whether this is an address of HTTP, its port a number that there is."""
    with suppress(ValueError):
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    return False
