"""Export and import of zeromem's own records: lossless, repeatable, streaming.

In: a scope, or records. Out: records as plain dicts, one a line in a file: a header, events, card versions, links, retirements.
Ids, times, versions and pointers are kept, so that importing twice adds nothing. Derived things (keyword index, vectors, token
counts) are made anew; the log of recalls is not part of an export. Files of other programs are read by `formats.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Unpack

from zeromem.clock import iso, micros
from zeromem.core import Core
from zeromem.errors import InvalidInput
from zeromem.ports import Op, Progress
from zeromem.scoping import optional_scope, scope_of
from zeromem.types import Card, Event, Scope, ScopeIds

FORMAT = 1
_CHUNK = 500
_OPS: tuple[Op, ...] = ("add", "update", "delete", "restore")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many records were new, and how many were there already."""

    added: int
    skipped: int


class TransferVerbs(Core):
    """Moving memories between files."""

    def export(self, **ids: Unpack[ScopeIds]) -> Iterator[dict[str, Any]]:
        """Every record of a scope, of a tenant (`tenant=` alone), or of the whole file (no ids), oldest first."""
        scope = optional_scope(ids)
        yield {"type": "header", "zeromem": FORMAT}
        for event in self._store.all_events(scope):
            yield _event_record(event)
        for card, _, op, reason, _ in self._store.all_versions(scope):
            yield _card_record(card, op, reason)
        for card_id, event_id, start, end in self._store.all_links(scope):
            yield {"type": "link", "card": card_id, "event": event_id, "start": start, "end": end}
        for event_id, at, reason in self._store.retired(scope):
            yield {"type": "retired", "event": event_id, "at": at, "reason": reason}

    def import_(self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None) -> ImportReport:
        """Take in what `export` gave. Records that are known by id are skipped; a broken one is an InvalidInput that names it.

        Written in steps: what stands before a broken record is in, and importing again goes on after it.
        """
        source = iter(records)
        added = skipped = number = 0
        while chunk := list(islice(source, _CHUNK)):
            with self._in_flight(), self._store.write():
                given = [str(r.get("id")) for r in chunk if isinstance(r, Mapping) and r.get("type") == "event"]
                known = {event.id for event in self._store.events(given)}
                for record in chunk:
                    number += 1
                    try:
                        new = self._take(record, known)
                    except (KeyError, TypeError, ValueError, AttributeError) as error:
                        raise InvalidInput(f"record {number} cannot be read: {type(error).__name__}: {error}") from None
                    added += new is True
                    skipped += new is False
            if progress:
                progress(number, number)
        self._wake()
        return ImportReport(added, skipped)

    def _take(self, record: Mapping[str, Any], known: set[str]) -> bool | None:
        """Whether a record was new; None for those that are not counted."""
        kind = record["type"]
        if kind == "header":
            if record["zeromem"] > FORMAT:
                raise InvalidInput(
                    f"the export has format {record['zeromem']}, this zeromem reads up to {FORMAT}: upgrade"
                )
            return None
        if kind == "event":
            if record["id"] in known:
                return False
            self._store.add_event(_event(record))
            known.add(record["id"])
            return True
        if kind == "card":
            return self._take_card(record)
        if kind == "link":
            self._store.link(record["card"], record["event"], int(record["start"]), int(record["end"]))
            return None
        if kind == "retired":
            self._store.retire([record["event"]], iso(micros(record["at"])), str(record["reason"]))
            return None
        raise InvalidInput(f"unknown record type {kind!r}")

    def _take_card(self, record: Mapping[str, Any]) -> bool:
        card, op = _card(record), record["op"]
        if op not in _OPS:
            raise ValueError(f"op {op!r}")
        there = self._store.card(card.id)
        if there is not None and there[0].version >= card.version:
            return False
        if (there[0].version if there else 0) != card.version - 1:
            raise ValueError(f"version {card.version} of {card.id} comes before version {card.version - 1}")
        self._ledger.adopt(card, op, str(record["reason"]), there[0] if there else None)
        return True


def _event_record(event: Event) -> dict[str, Any]:
    return {
        "type": "event", "id": event.id, **_ids(event.scope), "kind": event.kind, "role": event.role,
        "speaker": event.speaker, "text": event.text, "raw": event.raw, "at": event.at, "stored_at": event.stored_at,
        "source_id": event.source_id, "metadata": dict(event.metadata),
    }  # fmt: skip


def _event(record: Mapping[str, Any]) -> Event:
    return Event(
        str(record["id"]), _scope(record), str(record["kind"]), str(record["role"]), record["speaker"], _text(record),
        _time(record["at"]), _time(record["stored_at"]), record["source_id"], record["raw"], dict(record["metadata"]),
    )  # fmt: skip


def _card_record(card: Card, op: Op, reason: str) -> dict[str, Any]:
    return {
        "type": "card", "id": card.id, "version": card.version, "op": op, "reason": reason, "pointer": card.pointer,
        **_ids(card.scope), "kind": card.kind, "role": card.role, "speaker": card.speaker, "text": card.text, "at": card.at,
        "created_at": card.created_at, "updated_at": card.updated_at, "source_id": card.source_id,
        "metadata": dict(card.metadata), "made_by": card.made_by,
    }  # fmt: skip


def _card(record: Mapping[str, Any]) -> Card:
    return Card(
        str(record["id"]), str(record["pointer"]), int(record["version"]), _scope(record), str(record["kind"]),
        str(record["role"]), record["speaker"], _text(record), _time(record["at"]), _time(record["created_at"]),
        _time(record["updated_at"]), record["source_id"], dict(record["metadata"]), str(record["made_by"]), 0,
    )  # fmt: skip


def _text(record: Mapping[str, Any]) -> str:
    if not isinstance(record["text"], str):
        raise TypeError("text is not a string")
    return record["text"]


def _time(value: str) -> str:
    return iso(micros(value))


def _ids(scope: Scope) -> dict[str, str | None]:
    return {"tenant": scope.tenant, "user": scope.user, "agent": scope.agent, "session": scope.session}


def _scope(record: Mapping[str, Any]) -> Scope:
    return scope_of({name: record[name] for name in ("tenant", "user", "agent", "session")})
