"""Reads a foreign file, whatever it is: `read_file(path)` gives batches for `add`, `detect(path)` names the format.

| format | what it is | how it is read |
|---|---|---|
| `jsonl` | a message or a conversation a line | line by line, whatever its size |
| `openai` | JSON: `{"messages": [...]}`, a list of these, or a list of messages | whole |
| `chatgpt` | the `conversations.json` of a ChatGPT export | whole |
| `markdown` | one document; front matter makes no card | whole |
| `text` | one document | whole |
| `zeromem` | zeromem's own export: only recognised; `Memory.import_` reads it | |

"auto" goes by the file name (in upper or lower case) and by the first 64 KB. Every batch of messages has a `source_id` made of
its beginning, so `Memory.import_batch` adds nothing for a file read twice, on any machine and under any name, and for a log that
has grown only what is new. A document's source is its file (`file:` and the full path): read again after a change, it replaces
what it said before. A file that cannot be read as asked
raises `InvalidInput` with file, line and cure; an empty file gives no batch. No store is touched.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, cast

from zeromem.errors import InvalidInput
from zeromem.transfer.batch import Batch, source_id
from zeromem.transfer.chatgpt import read_chatgpt
from zeromem.transfer.encoding import HEAD, encoding_of, read_lines, read_text
from zeromem.transfer.messages import read_jsonl, read_openai

FORMATS = ("auto", "jsonl", "openai", "chatgpt", "text", "markdown", "zeromem")

_BY_EXTENSION = {".txt": "text", ".text": "text", ".log": "text", ".md": "markdown", ".markdown": "markdown"}
_LINES = (".jsonl", ".ndjson")
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[{\]])')
# Inside a JSON string the quotes would be escaped, so this is a key.
_MAPPING = re.compile(r'(?<!\\)"mapping"\s*:\s*\{')
_HEADING = re.compile(r"^#[ \t]+([^\r\n]+)", re.MULTILINE)
_FRONT_MATTER_LINES = 100
_SPOOL = 16 * 1024 * 1024


def read_file(
    path: str | PathLike[str], *, format: str = "auto", encoding: str | None = None, name: str | None = None
) -> Iterator[Batch]:
    """The batches of a file, or of standard input for "-" (kept in a temporary file until it ends).

    `name` is what errors call a file that is only a copy; its documents are known by their text, as those of standard input.
    `encoding` is that of a file without byte-order mark; the default is UTF-8, and nothing else is guessed. Name,
    format and encoding are checked at once, the content as it is read: when a broken line raises, the batches before it
    have been given, and a second reading of the repaired file adds only the rest.
    """
    if format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r:.80}; use one of {', '.join(FORMATS)}")
    spool = _spooled(path)
    with nullcontext(spool) if spool else _open(path) as file:
        kind = _detect(file, path, encoding) if format == "auto" else format
    if kind == "zeromem":
        raise InvalidInput(
            f"{path} is an export of zeromem itself; read it with Memory.import_(read_export(path)) or `zeromem import`"
        )
    return _read(path, kind, encoding, spool, name or ("standard input" if str(path) == "-" else None))


def file_source(path: str | PathLike[str]) -> str:
    """The source id of a document by its path. A name that is not UTF-8 becomes one that is, and still its own."""
    return "file:" + os.fsencode(Path(path).resolve()).decode("utf-8", "backslashreplace")


def detect(path: str | PathLike[str]) -> str:
    """The format of a file by its name and its first 64 KB: one of `FORMATS` without "auto"."""
    if str(path) == "-":
        raise InvalidInput("standard input can be read only once; call read_file('-'), which detects by itself")
    with _open(path) as file:
        return _detect(file, path, None)


def _read(
    path: str | PathLike[str], kind: str, encoding: str | None, spool: BinaryIO | None, copy_of: str | None
) -> Iterator[Batch]:
    name = copy_of or str(path)
    with spool or _open(path) as file:
        if kind == "jsonl":
            yield from read_jsonl(read_lines(file, encoding, name), name)
            return
        text = read_text(file, encoding, name)
    if not text.strip():
        return
    if kind == "openai":
        yield from read_openai(text, name)
    elif kind == "chatgpt":
        yield from read_chatgpt(text, name)
    else:
        heading = title_of(text) if kind == "markdown" else None
        if copy_of or Path(path).is_fifo():
            yield Batch(text, source_id=source_id(text), title=heading)
        else:
            yield Batch(text, source_id=file_source(path), title=heading or Path(path).name, replaces=True)


def _spooled(path: str | PathLike[str]) -> BinaryIO | None:
    """A copy of what can be read only once (standard input, a pipe), because detecting and reading are two passes."""
    if str(path) != "-" and not Path(path).is_fifo():
        return None
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115 - `_read` closes it
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else _open(path) as source:
        shutil.copyfileobj(source, spool)
    spool.seek(0)
    return cast(BinaryIO, spool)


def _open(path: str | PathLike[str]) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file; check the path (- is standard input)") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a folder; give the files in it one by one") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be opened: {error}") from error


def _detect(file: BinaryIO, path: str | PathLike[str], encoding: str | None) -> str:
    head = file.read(HEAD)
    file.seek(0)
    codec = encoding_of(head, encoding, str(path))
    extension = Path(path).suffix.lower()
    if extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    # Only to look at: what cannot be decoded is refused when it is read.
    text = head.decode(codec, "replace").removeprefix("\ufeff").lstrip()
    if extension in _LINES:
        return "jsonl" if not text.startswith("[") and not _is_export(text) else _json_kind(text)
    if extension == ".json" or _JSON.match(text):
        return _json_kind(text)
    return "text"


def _json_kind(text: str) -> str:
    if _is_export(text):
        return "zeromem"
    first, _, rest = text.partition("\n")
    record = _json_object(first)
    if record is not None and (rest.lstrip().startswith("{") or not {"mapping", "messages"} & record.keys()):
        return "jsonl"
    return "chatgpt" if _MAPPING.search(text) else "openai"


def _is_export(text: str) -> bool:
    """Whether the first line is the header of zeromem's own export."""
    record = _json_object(text.partition("\n")[0]) or {}
    return record.get("type") == "header" and "zeromem" in record


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def title_of(text: str) -> str | None:
    """The title of a Markdown document: `title:` of its front matter, else its first heading of level 1."""
    lines = text[:HEAD].splitlines()[:_FRONT_MATTER_LINES]
    if lines and lines[0].rstrip() == "---" and "---" in (rest := [line.rstrip() for line in lines[1:]]):
        for line in rest[: rest.index("---")]:
            if line.startswith("title:") and (title := line.removeprefix("title:").strip().strip("\"'")):
                return title
    found = _HEADING.search(text)
    return found[1].rstrip(" \t#") or None if found else None
