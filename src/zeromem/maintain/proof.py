"""Proves an erasure: searches bytes for the pieces and words of a text.

In: texts, and files or rows as chunks of bytes. Out: which pieces occur. Every 16 bytes of a text are looked for, its words, and both
as JSON writes them; what is shorter than 5 bytes or plain ("00000") is no piece, for chance would find it. Pure: opens nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from zeromem.text.words import fold

_LONG, _SHORT, _LETTERS = 16, 5, 3  # bytes of a piece, of the shortest one, and different bytes in it
_WORD = re.compile(r"\w+")
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(44)  # leaves 20 bits

Keys = npt.NDArray[np.uint64]


def pieces(texts: Iterable[str]) -> set[bytes]:
    """What to look for: see above. A copy of 31 bytes of a text, wherever it begins, holds a piece."""
    found: set[bytes] = set()
    for text in dict.fromkeys(texts):
        for form in _forms(text):
            found.update(_cut(form))
        for word in {*_WORD.findall(text), *_WORD.findall(fold(text))}:
            found.update(_cut(_bytes(word)))
    return {piece for piece in found if len(piece) >= _SHORT and len(set(piece)) >= _LETTERS}


def _forms(text: str) -> set[bytes]:
    """A text as it may stand in a file: itself, and inside of JSON, escaped or not."""
    return {_bytes(text), json.dumps(text)[1:-1].encode(), _bytes(json.dumps(text, ensure_ascii=False)[1:-1])}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _cut(form: bytes) -> Iterator[bytes]:
    for start in range(0, len(form) - _LONG + 1, _LONG):
        yield form[start : start + _LONG]
    yield form[-_LONG:]


def occurring(wanted: set[bytes], chunks: Iterable[bytes], block: int = 1 << 20) -> set[bytes]:
    """Which of the pieces occur in the bytes, also across chunks; `block` bytes are looked through at once."""
    groups = [_Group(size, [p for p in wanted if (len(p) >= 8) == (size == 8)]) for size in (_SHORT, 8)]
    found: set[bytes] = set()
    rest = b""
    for data in _blocks(chunks, block):
        data = rest + data
        for group in groups:
            found |= group.within(data)
        rest = data[1 - _LONG :]
    return found


def _blocks(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in blocks of about `size`: rows are small, files large."""
    held, length = list[bytes](), 0
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            part = chunk[start : start + size]
            held.append(part)
            length += len(part)
            if length >= size:
                yield b"".join(held)
                held, length = [], 0
    yield b"".join(held)


class _Group:
    """Pieces that begin with `size` telling bytes: one look at a block serves all of them.

    A table of bits leaves few places where a piece may begin; there its first 8 and its last 8 bytes, which are all of it, are compared.
    """

    def __init__(self, size: int, wanted: list[bytes]) -> None:
        self._mask = _mask(size)
        self._by_length: dict[int, dict[int, bytes]] = {}
        for piece in wanted:
            self._by_length.setdefault(len(piece), {})[_told(piece)] = piece
        firsts = np.array([int.from_bytes(piece[:size], "little") for piece in wanted], np.uint64)
        self._may = np.zeros(1 << 20, np.bool_)
        self._may[_place(firsts)] = True

    def within(self, data: bytes) -> set[bytes]:
        """The pieces in `data` that were not found before."""
        if not self._by_length:
            return set()
        # The 8 bytes from each place on.
        words: Keys = np.ndarray((len(data),), "<u8", data + bytes(8), strides=(1,))
        places = np.flatnonzero(self._may[_place(words & self._mask)])
        found: set[bytes] = set()
        for length, pieces in self._by_length.items():
            at = places[places <= len(data) - length]
            first = words[at] & _mask(min(length, 8))
            told = first if length <= 8 else _joined(first, words[at + length - 8])
            known = np.fromiter(pieces, np.uint64, len(pieces))
            there, where = np.unique(told, return_index=True)
            kept = np.isin(there, known)
            for key, place in zip(there[kept].tolist(), at[where[kept]].tolist(), strict=True):
                if data.startswith(pieces[key], place):
                    found.add(pieces.pop(key))
        return found


def _mask(size: int) -> np.uint64:
    return np.uint64(2 ** (8 * size) - 1)


def _place(keys: Keys) -> Keys:
    return (keys * _MULTIPLIER) >> _SHIFT


def _joined(first: Any, last: Any) -> Any:
    """One number for the first and the last 8 bytes of a piece."""
    return first * _MULTIPLIER + last


def _told(piece: bytes) -> int:
    """The number that `within` computes for a piece."""
    first = np.array([int.from_bytes(piece[:8], "little")], np.uint64)
    last = np.array([int.from_bytes(piece[-8:], "little")], np.uint64)
    return int((first if len(piece) <= 8 else _joined(first, last))[0])
