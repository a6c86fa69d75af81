"""The vectors of a scope in memory, in blocks, so that no moment holds a large matrix twice and a new vector copies little.

In: blocks so far, and vectors as the store has them. Out: the blocks with these. Immutable, as all of a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from zeromem.ports import Vectors
from zeromem.structures.background import Background, Groups

_BLOCK = 4096  # vectors a block


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors of some cards: `cards[i]` is the position of row i of `matrix`. `group`, `level`: see `Background.card_side`."""

    cards: npt.NDArray[np.int32]
    matrix: Vectors
    group: Groups
    level: npt.NDArray[np.float32]


def grown(
    old: Sequence[VectorBlock],
    known: npt.NDArray[np.int64],
    found: Iterable[tuple[int, int, bytes]],
    dimension: int,
    background: Background | None,
) -> tuple[VectorBlock, ...]:
    """The blocks with the vectors of `found` (number, row, float16 bytes) behind them; `known` are the rows by position."""
    blocks = list(old)
    source = iter(found)
    while chunk := list(islice(source, _BLOCK)):
        at = np.searchsorted(known, [row for _, row, _ in chunk])
        fits = [
            (int(i), blob)
            for i, (_, row, blob) in zip(at, chunk, strict=True)
            if i < len(known) and known[i] == row and len(blob) == 2 * dimension
        ]
        if not fits:
            continue
        block = _block([i for i, _ in fits], _matrix([blob for _, blob in fits], dimension), background)
        while blocks and len(blocks[-1].cards) + len(block.cards) <= _BLOCK:
            last = blocks.pop()
            block = VectorBlock(
                np.append(last.cards, block.cards),
                np.concatenate([last.matrix, block.matrix]),
                np.append(last.group, block.group),
                np.concatenate([last.level, block.level]),
            )
        blocks.append(block)
    return tuple(blocks)


def _matrix(blobs: Sequence[bytes], dimension: int) -> Vectors:
    return np.frombuffer(b"".join(blobs), np.float16).reshape(-1, dimension).astype(np.float32)


def _block(cards: Sequence[int], matrix: Vectors, background: Background | None) -> VectorBlock:
    if background is None:
        nothing = np.zeros(len(cards), np.int8), np.zeros((len(cards), 0), np.float32)
        return VectorBlock(np.asarray(cards, np.int32), matrix, *nothing)
    return VectorBlock(np.asarray(cards, np.int32), matrix, *background.card_side(matrix))
