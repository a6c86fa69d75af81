"""Export and import: zeromem's own records, lossless and repeatable; and the batches of foreign files.

In: a scope, records, or batches. Out: records as plain dicts, one a line in a file: a header, events, card versions, links,
retirements, marks. Ids, times, versions and pointers are kept, so that importing twice adds nothing. Derived things (keyword index,
vectors, token counts) are made anew; the log of recalls is not part of an export. Foreign files are read by `formats.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from os import PathLike
from typing import Any, Protocol, Unpack, cast

from zeromem.clock import iso
from zeromem.core import Core
from zeromem.encode.cards import clean
from zeromem.encode.messages import Document, parse_each
from zeromem.errors import InvalidInput, StoreBusy, StoreError
from zeromem.intake import Said, says
from zeromem.ports import Op, Progress
from zeromem.scoping import optional_scope, scope_of, unmasked
from zeromem.transfer.adopt import Adoption, ImportReport
from zeromem.transfer.batch import MADE_UP, Batch
from zeromem.transfer.records import FORMAT, card_record, checked, dump_line, event_record
from zeromem.transfer.target import database_files, replacing
from zeromem.types import Card, Receipt, Scope, ScopeIds

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch: its messages, how many were there already, the new events, and the receipt of the new ones."""

    messages: int
    known: int
    events: int
    receipt: Receipt


class _Adds(Protocol):
    def _add(self, content: object, scope: Scope, *options: Any, revive: bool) -> Receipt: ...


class TransferVerbs(Core):
    """Moving memories between files."""

    def export(self, **ids: Unpack[ScopeIds]) -> Iterator[dict[str, Any]]:
        """Every record of a scope, of a tenant (`tenant=` alone), or of the whole file (no ids), oldest first.

        With `session`: its events, and every card that they lead to, also one that was first made elsewhere. The records are
        those of the moment when the first one is read, whoever writes meanwhile. Raises StoreError if the file is erased
        meanwhile.
        """
        return self._records(optional_scope(ids))

    def _records(self, scope: Scope | None) -> Iterator[dict[str, Any]]:
        """Everything but retirements only ever grows, so the ends of a moment bound what belongs to it, without a lock."""
        with self._store.read():
            newest = self._store.marker()[0]
            count = sum(1 for _ in self._store.all_events(scope))
            links = list(self._store.all_links(scope))
            retired = self._store.retirements(scope)
        yield {"type": "header", "zeromem": FORMAT}
        left = count
        for event in islice(self._store.all_events(scope), count):
            left -= 1
            yield event_record(event)
        if left:
            raise StoreError(f"{self._store.path} was erased during the export; what was written is no whole export")
        ids: dict[str, None] = {}
        for card, op, reason in takewhile(lambda version: version[0].row <= newest, self._versions(scope, links)):
            ids.setdefault(card.id)
            yield card_record(card, op, reason)
        for card_id, event_id, start, end in links:
            yield {"type": "link", "card": card_id, "event": event_id, "start": start, "end": end}
        for one in retired:
            ended = {} if one.returned is None else {"returned": one.returned}
            yield {"type": "retired", "event": one.event_id, "at": one.at, "reason": one.reason, **ended}
        for mark in chain.from_iterable(self._store.marks_of(list(ids)).values()):
            yield {
                "type": "mark",
                "card": mark.card_id,
                "mark": mark.mark,
                "at": iso(mark.at),
                "why": mark.why,
                "who": mark.who,
            }

    def _versions(
        self, scope: Scope | None, links: Iterable[tuple[str, str, int, int]]
    ) -> Iterable[tuple[Card, Op, str]]:
        """Card versions, oldest first: those of the scope, or those that the links of a session lead from."""
        if scope is None or scope.session is None:
            return ((card, op, reason) for card, _, op, reason, _ in self._store.all_versions(scope))
        ids = dict.fromkeys(card_id for card_id, *_ in links)
        return sorted((found for id_ in ids for found in self._store.versions(id_)), key=lambda found: found[0].row)

    def export_file(
        self,
        path: str | PathLike[str],
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
        **ids: Unpack[ScopeIds],
    ) -> int:
        """Write what `export` gives as JSON Lines (UTF-8) to a file, and return how many records.

        The file is there whole or not at all. Raises InvalidInput for an existing file without `overwrite`, for a folder, and
        always for this memory's own files, by whatever name; StoreError where it cannot be written.
        """
        count = 0
        with replacing(path, overwrite=overwrite, protected=database_files(self._store.path)) as out:
            for count, record in enumerate(self.export(**ids), 1):
                out.write(dump_line(record))
                if progress and count % _CHUNK == 0:
                    progress(count, count)
            if progress:
                progress(count, count)
        return count

    def import_(
        self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None, **ids: Unpack[ScopeIds]
    ) -> ImportReport:
        """Take in what `export` gave: all of it, or nothing if one record is refused. What is known by id is skipped.

        Records keep their owners. With `user`, `agent` or `tenant`, a record of anyone else is refused. Refused is also: a field
        of the wrong type or range, a pointer that zeromem would not make, an id that stands for something else here, a link
        across owners or beyond its event's text, a card that no event leads to. The InvalidInput names the record (or, from
        `read_export`, file and line) and the field. Other writers wait meanwhile.
        """
        scope = optional_scope(ids)
        if scope is not None and scope.session is not None:
            raise InvalidInput("an export keeps its sessions; leave session out")
        if not isinstance(records, Iterable):
            raise InvalidInput(f"records must be an iterable of records, not {type(records).__name__}")
        adoption = Adoption(self._store, self._ledger, scope, self._redact)
        source, number = iter(records), 0
        with self._in_flight(), self._store.write():
            while chunk := list(islice(source, _CHUNK)):
                told = [checked(record, number + i) for i, record in enumerate(chunk, 1)]
                if not number and told[0][1] != "header":
                    raise InvalidInput(f"{told[0][0]}: an export begins with its header; export again")
                adoption.take(told)
                number += len(chunk)
                if progress:
                    progress(number, number)
            erased = adoption.finish(self._clock(), self._cut())
        if erased:  # who reads meanwhile keeps its bytes in the log, until the memory is opened again
            with suppress(StoreBusy):
                self._store.scrub()
        self._wake()
        return adoption.report()

    def import_batch(self, batch: Batch, *, at: Any = None, **ids: Unpack[ScopeIds]) -> Taken:
        """Add what a batch of `read_file` holds and was not added before: a log that has grown adds only what is new.

        A document that has changed says from now on what it says now: what is unchanged stays, the rest is superseded.
        A deleted memory stays deleted, because its event is still known.
        `at` is the time of messages without one (default now);
        `session` names a conversation that has no name of its own. Raises as `add` does.
        """
        if not isinstance(batch, Batch):
            raise InvalidInput(f"a batch comes from zeromem.transfer.read_file; this is {type(batch).__name__}")
        named = batch.session if batch.session and not batch.session.startswith(MADE_UP) else None
        scope = unmasked(scope_of({**ids, "session": named or ids.get("session") or batch.session}), self._redact)
        content = [Document(batch.content, batch.title)] if isinstance(batch.content, str) else batch.content
        kept = [[says(item) for item in clean(items) if not item.empty] for items in parse_each(content, self._redact)]
        whole = batch.replaces and batch.source_id is not None
        with self._in_flight(), self._store.write():
            if whole:
                source_id, new = batch.source_id, self._changed(str(self._source(batch.source_id)), kept, scope)
            else:
                source_id, new = self._unsaid(self._source(batch.source_id), kept, scope)
            if not new:
                return Taken(len(content), len(content), 0, Receipt(()))
            receipt = cast(_Adds, self)._add(
                [content[i] for i in new], scope, batch.at or at, source_id, batch.metadata,
                "replace" if whole else "append", revive=False,
            )  # fmt: skip
        return Taken(len(content), len(content) - len(new), sum(len(kept[i]) for i in new), receipt)

    def _changed(self, source_id: str, kept: list[list[Said]], scope: Scope) -> list[int]:
        """Every number if the source says anything else than it said, none if it says the same."""
        there = Counter(map(says, self._store.source_events(source_id, scope)))
        return [] if there and there == Counter(one for some in kept for one in some) else list(range(len(kept)))

    def _unsaid(self, source_id: str | None, kept: list[list[Said]], scope: Scope) -> tuple[str | None, list[int]]:
        """The numbers of the messages that the source has not said here, and the id to add them under.

        What a source said first stands under its id, what it said later under the id and the number of events before: `x`,
        `x+12`, `x+30`. Another source that begins alike has `x~2`.
        """
        every = list(range(len(kept)))
        wanted = Counter(one for some in kept for one in some)
        if source_id is None or not wanted:
            return source_id, every
        variant = 1
        while True:
            base = source_id if variant == 1 else f"{source_id}~{variant}"
            found: list[Said] = []
            at = base
            while events := self._store.source_events(at, scope):
                found.extend(map(says, events))
                at = f"{base}+{len(found)}"
            there = Counter(found)
            if there <= wanted or wanted <= there:
                return at, _rest(kept, there) if found else every
            variant += 1


def _rest(kept: list[list[Said]], there: Counter[Said]) -> list[int]:
    """The numbers of the messages that are not there. One that says nothing is new where it stands behind a new one."""
    new: list[int] = []
    for i, said in enumerate(kept):
        if said and Counter(said) <= there:
            there.subtract(said)
        elif said or new:
            new.append(i)
    return new
