"""The records of zeromem's own export: one table says what each field may hold, for reading as for writing.

In: records as plain dicts, or the lines of an export file. Out: values of `types.py` whose every field has been checked, or an
InvalidInput that names the place (file and line where they are known) and the field. Whether a record fits what is stored
already (owners, versions, spans) is decided in `verbs.py`. Nothing here touches a store.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from zeromem.checks import MOST, checked_metadata, shown
from zeromem.clock import iso, micros, settled
from zeromem.errors import InvalidInput
from zeromem.ids import split_pointer
from zeromem.ports import TIERS, Op
from zeromem.scoping import scope_of
from zeromem.transfer.encoding import read_lines
from zeromem.transfer.messages import parse_json
from zeromem.types import Card, Event, Scope

FORMAT = 1
_IDS = ("tenant", "user", "agent", "session")
_OPS: tuple[Op, ...] = ("add", "update", "delete", "restore")
_WORD = re.compile(r"[a-z][a-z_]{0,31}")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Between two surrogates that JSON would read as one character.
_PAIR = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")

_Check = Callable[[Any], Any]


class Line(dict[str, Any]):
    """A record that knows where it stands: `where` is "backup.jsonl, line 7"."""

    where = ""


def read_export(path: str | PathLike[str], *, encoding: str | None = None, name: str | None = None) -> Iterator[Line]:
    """The records of an export file, for `Memory.import_`. `name` is what errors call the file (default: its path)."""
    told = name or str(path)
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{told} cannot be opened: {error}") from None
    with file:
        for number, line in read_lines(file, encoding, told):
            if not line.strip():
                continue
            where = f"{told}, line {number}"
            value = parse_json(line, where, "the file is damaged there; export again")
            if not isinstance(value, dict):
                raise InvalidInput(f"{where}: a record is an object, not {type(value).__name__}")
            record = Line((name, _joined(part)) for name, part in value.items())
            record.where = where
            yield record


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a string, not {type(value).__name__}")
    return value


def _printable(value: Any) -> str:
    if _SURROGATE.search(_string(value)):
        raise ValueError("holds a lone surrogate")
    return str(value)


def _name(value: Any) -> str:
    if not _printable(value).strip():
        raise ValueError("is blank")
    return str(value)


def _matching(pattern: re.Pattern[str], what: str) -> _Check:
    def check(value: Any) -> str:
        if not pattern.fullmatch(_string(value)):
            raise ValueError(f"must be {what}, not {value[:60]!r}")
        return str(value)

    return check


def _pointer(value: Any) -> str:
    if split_pointer(_string(value)) is None:
        raise ValueError(f"must be a word, or a word and a number, such as coffee2, not {value[:60]!r}")
    return str(value)


def _said(value: Any) -> str:
    """When something was said: with the offset that it came with."""
    text = _string(value)
    with contextlib.suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is not None:
            return settled(moment).isoformat()
    raise ValueError(f"must be a time in ISO 8601 with its offset, not {text[:60]!r}")


def _time(value: Any) -> str:
    """When something was stored: in UTC."""
    return iso(micros(_said(value)))


def _whole(least: int) -> _Check:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
            raise ValueError(f"must be a whole number from {least} to {MOST:,}, not {shown(value)}")
        return value

    return check


def _optional(check: _Check) -> _Check:
    return lambda value: None if value is None else check(value)


def _op(value: Any) -> Any:
    if value not in _OPS:
        raise ValueError(f"must be one of {', '.join(_OPS)}")
    return value


def _mark(value: Any) -> Any:
    if value not in (*TIERS, "pinned", "unpinned"):
        raise ValueError(f"must be one of {', '.join(TIERS)}, pinned, unpinned")
    return value


def _metadata(value: Any) -> dict[str, Any]:
    if value is None:
        raise ValueError("must be an object")
    return checked_metadata(value) if value != {} else {}


def _format(value: Any) -> int:
    if _whole(1)(value) > FORMAT:
        raise ValueError(f"is format {value}, this zeromem reads up to {FORMAT}: upgrade")
    return int(value)


_event_id = _matching(re.compile("e[0-9a-f]{26}"), "an event's id")
_card_id = _matching(re.compile("c[0-9a-f]{26}"), "a card's id")
_kind = _matching(_WORD, "a kind such as message")
_scope_id: _Check = _optional(_string)  # `scope_of` says the rest
# What each record holds: every field, and the check of its value. A field beside these is refused, for it would be lost.
FIELDS: Mapping[str, Mapping[str, _Check]] = {
    "header": {"zeromem": _format},
    "event": {
        "id": _event_id, **dict.fromkeys(_IDS, _scope_id), "kind": _kind, "role": _name, "speaker": _optional(_printable),
        "text": _string, "raw": _optional(_string), "at": _said, "stored_at": _time, "source_id": _optional(_name),
        "metadata": _metadata,
    },
    "card": {
        "id": _card_id, "version": _whole(1), "op": _op, "reason": _printable, "pointer": _pointer,
        **dict.fromkeys(_IDS, _scope_id), "kind": _kind, "role": _name, "speaker": _optional(_printable), "text": _printable,
        "at": _said, "created_at": _time, "updated_at": _time, "source_id": _optional(_name), "metadata": _metadata,
        "made_by": _name,
    },
    "link": {"card": _card_id, "event": _event_id, "start": _whole(0), "end": _whole(0)},
    "retired": {"event": _event_id, "at": _time, "reason": _printable, "returned": _optional(_time)},
    "mark": {"card": _card_id, "mark": _mark, "at": _time, "why": _printable, "who": _name},
}  # fmt: skip


# Fields that may be missing, which then are None.
MAY_LACK = {"retired": ("returned",)}


def checked(record: object, number: int) -> tuple[str, str, dict[str, Any]]:
    """Where a record stands, its type, and its fields, each checked by `FIELDS`; "scope" stands in place of the four ids."""
    where = getattr(record, "where", "") or f"record {number}"
    if not isinstance(record, Mapping):
        raise InvalidInput(f"{where}: a record is an object, not {type(record).__name__}")
    kind = record.get("type")
    table = FIELDS.get(kind) if isinstance(kind, str) else None
    if table is None:
        raise InvalidInput(f"{where}: field 'type' must be one of {', '.join(FIELDS)}")
    strange = next((str(key) for key in record if key != "type" and key not in table), None)
    if strange is not None:
        raise InvalidInput(f"{where}: a {kind} has no field {strange[:60]!r} in this zeromem; upgrade, or take it out")
    values: dict[str, Any] = {}
    for name, check in table.items():
        if name not in record and name in MAY_LACK.get(str(kind), ()):
            values[name] = None
            continue
        if name not in record:
            raise InvalidInput(f"{where}: field {name!r} of the {kind} is missing")
        try:
            values[name] = check(record[name])
        except ValueError as error:
            raise InvalidInput(f"{where}: field {name!r} of the {kind} {error}") from None
    if "tenant" in table:
        try:
            values["scope"] = scope_of({name: values.pop(name) for name in _IDS})
        except InvalidInput as error:
            raise InvalidInput(f"{where}: the {kind}: {error}") from None
    if kind == "card":
        _check_version(where, values)
    return where, str(kind), values


def _check_version(where: str, card: Mapping[str, Any]) -> None:
    """What the fields of a card version must be together."""
    if (card["op"] == "add") != (card["version"] == 1):
        raise InvalidInput(f"{where}: field 'op' of the card: version 1 and no other is an add")
    if bool(card["text"].strip()) == (card["op"] == "delete"):
        raise InvalidInput(f"{where}: field 'text' of the card must be blank in a deletion, and only there")


def dump_line(record: Mapping[str, Any]) -> str:
    """A record as a line of a file. Text stays as it is; only what UTF-8 cannot hold is escaped.

    A string with a surrogate pair that is two characters in Python stands as the list of its parts.
    """
    text = json.dumps(record, ensure_ascii=False)
    if _SURROGATE.search(text):
        text = json.dumps({name: _parted(value) for name, value in record.items()})
    return text + "\n"


def _parted(value: Any) -> Any:
    return _PAIR.split(value) if isinstance(value, str) and _PAIR.search(value) else value


def _joined(value: Any) -> Any:
    """The string of the parts that `_parted` made; any other value as it is."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) for part in value):
        whole = "".join(value)
        return whole if _parted(whole) == value else value
    return value


def event_of(values: Mapping[str, Any]) -> Event:
    return Event(**values)


def card_of(values: Mapping[str, Any]) -> Card:
    return Card(**{name: value for name, value in values.items() if name not in ("op", "reason")}, tokens=0)


def event_record(event: Event) -> dict[str, Any]:
    return _record("event", event, event.scope)


def card_record(card: Card, op: Op, reason: str) -> dict[str, Any]:
    return _record("card", card, card.scope, op=op, reason=reason)


def _record(kind: str, value: Event | Card, scope: Scope, **given: str) -> dict[str, Any]:
    out: dict[str, Any] = {"type": kind}
    for name in FIELDS[kind]:
        out[name] = given[name] if name in given else getattr(scope if name in _IDS else value, name)
    return {**out, "metadata": dict(value.metadata)}
