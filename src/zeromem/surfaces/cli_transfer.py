"""The commands that move whole files: import and export.

In: files of zeromem, of chat programs, or plain text; "-" is standard input or output. Out: stored memories, or JSON Lines. A file
is read through once before the first write, so that the bar knows its end and a broken line is found before anything is stored.
Every batch is a transaction with a source id of its own: stopping at any moment leaves a usable store, and a second run goes on.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from zeromem.encode.messages import Document
from zeromem.errors import InvalidInput, ZeromemError
from zeromem.memory import Memory
from zeromem.surfaces.cli_call import Call, command, mended, system_path
from zeromem.surfaces.wire import INTERRUPTED, dump
from zeromem.transfer import FORMATS, Batch, detect, read_file
from zeromem.transfer.encoding import read_lines

app = typer.Typer()

_MADE_UP = "import-"  # session names that the reader gives to conversations without one


@dataclass(slots=True)
class _Told:
    """What has become of one file so far; `unit` is what is counted."""

    file: str
    format: str
    unit: str
    added: int = 0
    skipped: int = 0


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
        lines = [
            f"{told.file} ({told.format}): {told.added:,} {told.unit} added"
            + (f", {told.skipped:,} already there" if told.skipped else "")
            for told in self.files
        ]
        if self.embedded or self.pending:
            lines.append(f"{self.embedded:,} memories embedded" + (f", {self.pending:,} to go" if self.pending else ""))
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
    embed: Annotated[bool, typer.Option("--embed/--no-embed", help="Embed afterwards what has no vector yet.")] = True,
) -> None:
    """Take in files: message JSONL, OpenAI and ChatGPT exports, Markdown, text, or zeromem's own export.

    Importing again adds nothing. Ctrl-C leaves a usable store.

    Example: zeromem import conversations.json notes.md

    Example: zeromem import chat.jsonl --user ana --no-embed

    Example: zeromem --db old.db export - --all | zeromem --db new.db import -
    """
    outcome = _Outcome()
    with call.memory(create=True) as memory:
        try:
            for name in files:
                with _seekable(name) as path:
                    _take(call, memory, outcome, name, path, format_, encoding)
            if embed:
                _embed(call, memory, outcome)
        except KeyboardInterrupt:
            outcome.stopped = True
        outcome.pending = memory.stats().pending
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
    call: Call, memory: Memory, outcome: _Outcome, name: str, path: str, format_: str, encoding: str | None
) -> None:
    from zeromem.surfaces.cli_progress import bar

    kind = _kind(path, format_)
    told = _Told(
        "standard input" if name == "-" else mended(name), kind, "records" if kind == "zeromem" else "messages"
    )
    with bar(f"importing {told.file}", silent=call.as_json) as report:
        if kind == "zeromem":
            total = sum(1 for _ in _records(path, encoding))
            outcome.files.append(told)
            done = memory.import_(_records(path, encoding), progress=lambda done, _: report(done, total))
            told.added, told.skipped = done.added, done.skipped
            return
        total = sum(map(_size, read_file(path, format=kind, encoding=encoding)))
        outcome.files.append(told)
        for batch in read_file(path, format=kind, encoding=encoding):
            if _add(call, memory, batch):
                told.added += _size(batch)
            else:
                told.skipped += _size(batch)
            report(told.added + told.skipped, total)


def _kind(path: str, format_: str) -> str:
    if format_ not in FORMATS:
        raise InvalidInput(f"unknown format {format_!r}; use one of {', '.join(FORMATS)}")
    return detect(path) if format_ == "auto" else format_


def _size(batch: Batch) -> int:
    return 1 if isinstance(batch.content, str) else len(batch.content)


def _add(call: Call, memory: Memory, batch: Batch) -> bool:
    """Store a batch; whether it was new."""
    made_up = batch.session is None or batch.session.startswith(_MADE_UP)
    session = call.ids.get("session") if made_up else None
    ids: dict[str, Any] = {**call.ids, "session": session or batch.session}
    content = Document(batch.content, batch.title) if isinstance(batch.content, str) else batch.content
    receipt = memory.add(content, at=batch.at, source_id=batch.source_id, metadata=batch.metadata, **ids)
    return not all(item.status == "duplicate" and item.id is None for item in receipt.items)


def _records(path: str, encoding: str | None) -> Iterator[dict[str, Any]]:
    """The lines of zeromem's own export."""
    with Path(path).open("rb") as file:
        for number, line in read_lines(file, encoding, path):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                raise InvalidInput(f"{path}, line {number}: not valid JSON ({error}); export again") from None
            if not isinstance(value, dict):
                raise InvalidInput(f"{path}, line {number}: a record is an object, not {type(value).__name__}")
            yield value


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
) -> None:
    """Write everything remembered as JSON Lines, lossless: `import` makes the same memory of it.

    Example: zeromem export backup.jsonl --all

    Example: zeromem export - --user ana | gzip > ana.jsonl.gz
    """
    from zeromem.surfaces.cli_progress import bar

    with call.memory() as memory, bar("exporting", silent=call.as_json) as report:
        count = 0

        def lines() -> Iterator[str]:
            nonlocal count
            for count, record in enumerate(memory.export(**({} if everything else call.ids)), 1):
                yield dump(record) + "\n"
                if count % 500 == 0:
                    report(count, count)
            report(count, count)

        if file == "-":
            sys.stdout.writelines(lines())
            return
        _replace(Path(system_path(file)), lines())
    call.answer({"file": file, "records": count}, f"{file}: {count:,} records")


def _replace(path: Path, lines: Iterator[str]) -> None:
    """Write beside the file, then take its place: an export that is stopped never leaves half a file under the name."""
    if path.exists() and not path.is_file():  # a device or a pipe
        with path.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(lines)
        return
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(lines)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
