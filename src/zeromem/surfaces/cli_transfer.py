"""The commands that move whole files: import and export.

In: files of zeromem, of chat programs, or plain text; "-" is standard input or output. Out: stored memories, or JSON Lines. A file
is read through once before the first write, so that the bar knows its end and a broken line is found before anything is stored.
An export of zeromem comes in whole or not at all; a foreign file batch by batch, so that it can be stopped at any moment, and a
second run goes on.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from zeromem.errors import InvalidInput, ZeromemError
from zeromem.memory import Memory
from zeromem.plural import counted
from zeromem.ports import Progress
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command, mended, system_path
from zeromem.surfaces.wire import INTERRUPTED, dump
from zeromem.transfer import FORMATS, Batch, detect, read_export, read_file
from zeromem.transfer.verbs import Taken
from zeromem.types import Receipt

app = typer.Typer()


@dataclass(slots=True)
class _Told:
    """What has become of one file so far. `counts` names what its `read` lines or messages came to, `reasons` why some got no memory."""

    file: str
    format: str
    unit: str
    read: int = 0
    added: int = 0
    skipped: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    untimed: int = 0

    def take(self, receipt: Receipt) -> None:
        names = {
            "stored": "new memories",
            "duplicate": "said before",
            "pending": "pending",
            "ignored": "without a memory",
        }
        for item in receipt.items:
            unchanged = item.status == "duplicate" and item.reason.startswith("unchanged")
            self.counts["unchanged" if unchanged else names.get(item.status, item.status)] += 1
            self.counts["secrets masked"] += len(item.masked)
            if item.status == "ignored":
                self.reasons[item.reason] += 1

    def text(self) -> str:
        why = {
            "already there": "imported before" if self.unit == "messages" else "the same record is here",
            "unchanged": "the file still says it",
            "superseded": "the file says it no longer",
            "said before": "the same words are a memory already, which now leads here too",
            "without a memory": "; ".join(f"{reason}: {count:,}" for reason, count in self.reasons.most_common()),
        }
        rows = [(name, f"{count:>7,}  {why.get(name, '')}".rstrip()) for name, count in self.counts.items() if count]
        head = f"{self.file} ({self.format}): {counted(self.read, self.unit[:-1])} read"
        return "\n".join([head, *(f"  {line}" for line in text.table(rows))])


@dataclass(slots=True)
class _Outcome:
    files: list[_Told] = field(default_factory=list)
    embedded: int = 0
    pending: int = 0
    stopped: bool = False

    def record(self) -> dict[str, Any]:
        return {
            "added": sum(told.added for told in self.files),
            "skipped": sum(told.skipped for told in self.files),
            "embedded": self.embedded,
            "pending": self.pending,
            "stopped": self.stopped,
            "files": self.files,
        }

    def text(self) -> str:
        lines = [told.text() for told in self.files]
        if self.embedded or self.pending:
            rest = f", {self.pending:,} to go" if self.pending else ""
            lines.append(f"{counted(self.embedded, 'memory')} embedded{rest}")
        if self.stopped:
            lines.append("stopped; what is listed above is stored, and the same command goes on from there")
        return "\n".join(lines)


@command(app, "import")
def import_(
    call: Call,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files; - is standard input.")],
    *,
    format_: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "auto",
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="Of files that are not UTF-8, such as gb18030.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When messages without a time were said; default now.")
    ] = None,
    embed: Annotated[bool, typer.Option("--embed/--no-embed", help="Embed afterwards what has no vector yet.")] = True,
) -> None:
    """Take in files: message JSONL, OpenAI and ChatGPT exports, Markdown, text, or zeromem's own export.

    Importing again adds nothing, and a file that has grown only what is new; what was deleted stays deleted. Ctrl-C leaves a
    usable store. zeromem's own export comes in whole or not at all and keeps its owners: with --user, --agent or --tenant, a
    record of anyone else is refused.

    Example: zeromem import conversations.json notes.md

    Example: zeromem import chat.jsonl --user ana --at 2026-03-12

    Example: tail -n 100 chat.jsonl | zeromem import - --format jsonl --no-embed

    Example: zeromem --db old.db export - --all | zeromem --db new.db import -
    """
    outcome = _Outcome()
    with call.memory(create=True) as memory:
        try:
            for name in files:
                with _seekable(name) as path:
                    _take(call, memory, outcome, name, path, format_, encoding, at)
            if embed:
                _embed(call, memory, outcome)
        except KeyboardInterrupt:
            outcome.stopped = True
        outcome.pending = memory.stats().pending
    if untimed := sum(told.untimed for told in outcome.files):
        call.warn(
            f"{counted(untimed, 'message')} without a time got the time of the import; to give another, use --at TIME, "
            'or a field "at" in each line'
        )
    call.answer(outcome.record(), outcome.text())
    if outcome.stopped:
        raise typer.Exit(INTERRUPTED)


@contextlib.contextmanager
def _seekable(name: str) -> Iterator[str]:
    """A path that can be read twice: standard input, or a pipe with a name, is copied to a temporary file first."""
    given = Path(system_path(name))
    if name != "-" and not given.is_fifo():
        yield str(given)
        return
    with tempfile.TemporaryDirectory(prefix="zeromem-") as folder:
        path = Path(folder) / "standard input"
        with path.open("wb") as file, sys.stdin.buffer if name == "-" else given.open("rb") as source:
            shutil.copyfileobj(source, file)
        yield str(path)


def _take(
    call: Call,
    memory: Memory,
    outcome: _Outcome,
    name: str,
    path: str,
    format_: str,
    encoding: str | None,
    at: str | None,
) -> None:
    from zeromem.surfaces.cli_progress import bar

    kind = _kind(path, format_)
    shown = "standard input" if name == "-" else mended(name)
    told = _Told(shown, kind, "lines" if kind == "zeromem" else "messages")
    with bar(f"importing {told.file}", silent=call.as_json) as report:
        if kind == "zeromem":
            _take_export(call, memory, told, path, encoding, report)
            outcome.files.append(told)
            return
        copy_of = None if path == system_path(name) else told.file
        total = sum(map(_size, read_file(path, format=kind, encoding=encoding, name=copy_of)))
        outcome.files.append(told)
        for batch in read_file(path, format=kind, encoding=encoding, name=copy_of):
            _add(call, memory, told, batch, at)
            report(told.read, total)


def _take_export(call: Call, memory: Memory, told: _Told, path: str, encoding: str | None, report: Progress) -> None:
    told.read = sum(1 for _ in read_export(path, encoding=encoding, name=told.file))
    records = read_export(path, encoding=encoding, name=told.file)
    ids: dict[str, Any] = {key: value for key, value in call.ids.items() if key in call.named}
    done = memory.import_(records, progress=lambda count, _: report(count, told.read), **ids)
    told.added, told.skipped = done.added, done.skipped
    told.counts.update({**{f"new {name}": count for name, count in done.new.items()}, "secrets masked": done.masked})
    known = sum(done.known.values())
    headers = told.read - known - sum(done.new.values()) - done.forgotten
    told.counts.update({"already there": known, "forgotten here": done.forgotten, "headers": headers})


def _kind(path: str, format_: str) -> str:
    if format_ not in FORMATS:
        raise InvalidInput(f"unknown format {format_!r:.80}; use one of {', '.join(FORMATS)}")
    return detect(path) if format_ == "auto" else format_


def _size(batch: Batch) -> int:
    return 1 if isinstance(batch.content, str) else len(batch.content)


def _add(call: Call, memory: Memory, told: _Told, batch: Batch, at: str | None) -> None:
    """Store what is new of a batch, and count what became of it."""
    with _whole_step():  # stored and counted, or neither
        _count(told, batch, memory.import_batch(batch, at=at, **call.ids), timed=at is not None)


@contextlib.contextmanager
def _whole_step() -> Iterator[None]:
    """Ctrl-C waits until the step is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _count(told: _Told, batch: Batch, taken: Taken, *, timed: bool) -> None:
    lost = sum(item.status == "ignored" and item.event_id is None for item in taken.receipt.items)
    told.read += taken.messages
    told.skipped += taken.known
    told.added += taken.messages - taken.known - lost
    told.counts.update({"new events": taken.events, "already there": taken.known})
    told.take(taken.receipt)
    if isinstance(batch.content, list) and batch.at is None and not timed:
        told.untimed += taken.messages - taken.known


def _embed(call: Call, memory: Memory, outcome: _Outcome) -> None:
    from zeromem.surfaces.cli_progress import bar

    if not memory.stats().pending:
        return
    with bar("embedding", silent=call.as_json) as report:

        def progress(done: int, total: int) -> None:
            outcome.embedded = done
            report(done, total)

        try:
            memory.embed_pending(progress=progress)
        except ZeromemError as error:  # everything is stored and found by its words
            call.warn(str(error))


@command(app, "export")
def export(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to; - (the default) is standard output.")] = "-",
    *,
    everything: Annotated[bool, typer.Option("--all", help="The whole file, all users.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a file that is there already.")] = False,
) -> None:
    """Write everything remembered as JSON Lines, lossless: `import` makes the same memory of it.

    Example: zeromem export backup.jsonl --all

    Example: zeromem export - --user ana | gzip > ana.jsonl.gz
    """
    from zeromem.surfaces.cli_progress import bar

    ids: dict[str, Any] = {} if everything else {**call.ids}
    with call.memory() as memory:
        if file == "-":
            sys.stdout.writelines(dump(record) + "\n" for record in memory.export(**ids))
            return
        with bar("exporting", silent=call.as_json) as report:
            count = memory.export_file(system_path(file), overwrite=force, progress=report, **ids)
    call.answer({"file": file, "records": count}, f"{file}: {counted(count, 'record')}")
