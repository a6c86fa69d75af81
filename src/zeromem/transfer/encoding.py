"""Bytes to text without guessing: UTF-8, or what a byte-order mark or the caller says, or a refusal.

In goes an open binary file, out come its text or its lines. A byte that does not fit never becomes "?" or U+FFFD: the
refusal (`InvalidInput`) says where it stands, which encoding the file is likely in, and to pass `encoding=`. Line ends
are kept as they are; a leading byte-order mark is dropped.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from zeromem.errors import InvalidInput

HEAD = 65_536
# Longer marks first: that of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = (
    (b"%PDF-", "a PDF; extract its text first"),
    (b"PK\x03\x04", "a ZIP archive (or an Office file); unpack it and give the file inside"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database; a zeromem database is opened with Memory.open"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
)


def encoding_of(head: bytes, encoding: str | None, name: str) -> str:
    """The codec to read a file with: a byte-order mark wins, then `encoding`, then UTF-8. Binary files are refused."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    for magic, what in _BINARY:
        if head.startswith(magic):
            raise InvalidInput(f"{name} is no text: it is {what}")
    if encoding is not None:
        try:
            b"abcd".decode(encoding)
        except UnicodeDecodeError:
            pass  # a text encoding, in which these bytes are no text
        except (LookupError, ValueError, TypeError) as error:
            raise InvalidInput(
                f"encoding={encoding!r:.80} is no text encoding; use a name such as 'utf-8' or 'gb18030'"
            ) from error
        return encoding
    if b"\x00" in head:
        if likely := _zero_pattern(head):
            raise InvalidInput(f"{name} is not UTF-8; it looks like {likely}: pass encoding='{likely}'")
        raise InvalidInput(f"{name} holds NUL bytes and looks like a binary file; if it is text, pass encoding='utf-8'")
    return "utf-8"


def read_text(file: BinaryIO, encoding: str | None, name: str) -> str:
    """The whole file as text."""
    data = file.read()
    codec = encoding_of(data[:HEAD], encoding, name)
    try:
        return data.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = data.rfind(b"\n", 0, error.start) + 1
        raise _refusal(f"{name}, line {line}", data[start : start + HEAD], codec) from error


def read_lines(file: BinaryIO, encoding: str | None, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, one in memory at a time; only "\\n" ends a line."""
    head = file.read(HEAD)
    file.seek(0)
    codec = encoding_of(head, encoding, name)
    if codecs.lookup(codec).name.startswith(("utf-16", "utf-32")):
        yield from _wide_lines(file, codec, name)
        return
    # In every other encoding the byte 0x0A ends a line, so lines are cut first and a bad byte is found in its line.
    for number, data in enumerate(file, 1):
        try:
            line = data.decode(codec)
        except UnicodeDecodeError as error:
            raise _refusal(f"{name}, line {number}", data[:HEAD], codec) from error
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def _wide_lines(file: BinaryIO, codec: str, name: str) -> Iterator[tuple[int, str]]:
    number = 0
    wrapper = io.TextIOWrapper(file, encoding=codec, newline="\n")
    try:
        for number, line in enumerate(wrapper, 1):
            yield number, line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name}, after line {number}: not {codec} ({error.reason}); the file is damaged") from error
    finally:
        wrapper.detach()


def _refusal(where: str, sample: bytes, codec: str) -> InvalidInput:
    told = "not UTF-8" if codec.startswith("utf-8") else f"not {codec}"
    likely = None if _mostly_utf8(sample) and codec.startswith("utf-8") else likely_encoding(sample)
    if likely is None or likely == codec:
        return InvalidInput(f"{where}: {told}, and no other encoding fits; the file is damaged there, or is no text")
    return InvalidInput(f"{where}: {told}; it looks like {likely}: pass encoding='{likely}'")


def _mostly_utf8(sample: bytes) -> bool:
    """Whether most bytes above ASCII form UTF-8 characters: then a few are damaged, and another encoding is no cure."""
    high = sum(byte > 0x7F for byte in sample)
    good = sum(len(char.encode()) for char in sample.decode("utf-8", "ignore") if char > "\x7f")
    return good > 0.7 * high


def likely_encoding(sample: bytes) -> str | None:
    """The best guess at a legacy encoding, for a message to a person; None if no candidate reads the sample."""
    scores = {
        "gb18030": _double_byte(sample, "gb18030", (0xB0, 0xD7)),
        "big5": _double_byte(sample, "big5", (0xA4, 0xC6)),
        "shift_jis": _shift_jis(sample),
        "cp1252": _western(sample),
    }
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0 else None


def _double_byte(sample: bytes, codec: str, frequent: tuple[int, int]) -> float:
    """Share of characters whose lead byte lies in the block of frequent ones (level 1 of GB 2312 and of Big5)."""
    text = _tolerant(sample, codec)
    wide = [char.encode(codec) for char in text if char > "\x7f"]
    return sum(frequent[0] <= char[0] <= frequent[1] and len(char) == 2 for char in wide) / len(wide) if wide else 0.0


def _shift_jis(sample: bytes) -> float:
    """Japanese prose is full of kana; half-width katakana are what other encodings look like when misread."""
    wide = [char for char in _tolerant(sample, "shift_jis") if char > "\x7f"]
    kana = sum("\u3040" <= char <= "\u30ff" for char in wide)
    return min(1.0, kana / len(wide) * 3) if wide else 0.0


def _western(sample: bytes) -> float:
    """In a Western text high bytes stand alone between letters; in a double-byte text they come in pairs."""
    runs = re.findall(rb"[\x80-\xff]+", sample) if _tolerant(sample, "cp1252") else []
    return sum(len(run) == 1 for run in runs) / sum(map(len, runs)) if runs else 0.0


def _tolerant(sample: bytes, codec: str) -> str:
    """The sample decoded, up to three bytes short (it may be cut inside a character); "" if it does not fit."""
    for short in range(4):
        try:
            return sample[: len(sample) - short].decode(codec)
        except UnicodeDecodeError:
            continue
    return ""


def _zero_pattern(head: bytes) -> str | None:
    """UTF-16 without a mark shows as zero bytes on one side only."""
    pairs = len(head) // 2
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if max(even, odd) * 4 < pairs or min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
