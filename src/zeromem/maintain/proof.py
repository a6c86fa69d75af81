"""Proves an erasure: searches bytes for the pieces and words of a text.

In: texts, and files or rows as chunks of bytes. Out: which pieces occur. Every 16 bytes of a text are looked for, its words, and both
as JSON writes them; what is shorter than 5 bytes or plain ("00000") is no piece, for chance would find it. Pure: opens nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

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


def occurring(wanted: set[bytes], chunks: Iterable[bytes]) -> set[bytes]:
    """Which of the pieces occur in the bytes, also across chunks."""
    groups = [_Group(size, [p for p in wanted if (len(p) >= 8) == (size == 8)]) for size in (_SHORT, 8)]
    found: set[bytes] = set()
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        for group in groups:
            found |= group.within(data)
        rest = data[1 - _LONG :]
    return found


class _Group:
    """Pieces that are told by their first `size` bytes, so that one look at the data serves all of them."""

    def __init__(self, size: int, wanted: list[bytes]) -> None:
        self._mask = np.uint64(2 ** (8 * size) - 1)
        self._by_key: dict[int, list[bytes]] = {}
        for piece in wanted:
            self._by_key.setdefault(int.from_bytes(piece[:size], "little"), []).append(piece)
        self._keys = np.sort(np.fromiter(self._by_key, np.uint64, len(self._by_key)))
        self._may = np.zeros(1 << 20, np.bool_)
        self._may[self._place(self._keys)] = True

    @staticmethod
    def _place(keys: Keys) -> Keys:
        return (keys * _MULTIPLIER) >> _SHIFT

    def within(self, data: bytes) -> set[bytes]:
        if not self._by_key:
            return set()
        there: set[int] = set()
        padded = data + bytes(15)
        for offset in range(8):
            keys = np.frombuffer(padded, "<u8", (len(padded) - offset) // 8, offset) & self._mask
            likely = np.unique(keys[self._may[self._place(keys)]])
            there.update(np.intersect1d(likely, self._keys, assume_unique=True).tolist())
        found = {piece for key in there for piece in self._by_key[key] if piece in data}
        for key in there:  # what was found once is not looked for again
            self._by_key[key] = [piece for piece in self._by_key[key] if piece not in found]
        return found
