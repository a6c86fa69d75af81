"""An inverted index over a run of cards, made at once from their term hashes and never changed.

In: each card's terms as 32-bit hashes in text order. Out: for a term, the cards that hold it and how often. A snapshot is a
few such blocks; new cards come as a new small block, and small neighbours are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Counts = npt.NDArray[np.uint16]
Hashes = npt.NDArray[np.uint32]
_NOTHING: tuple[Ints, Counts] = (np.empty(0, np.int32), np.empty(0, np.uint16))


@dataclass(frozen=True, slots=True)
class Postings:
    """Terms sorted; cards of term i stand at starts[i]:starts[i + 1], as positions in the snapshot."""

    vocabulary: Hashes  # [terms]
    starts: npt.NDArray[np.int64]  # [terms + 1]
    cards: Ints  # [postings]
    counts: Counts  # [postings], occurrences in the card

    def find(self, term: int) -> tuple[Ints, Counts]:
        """Cards that hold the term, ascending, and how often each does."""
        at = int(np.searchsorted(self.vocabulary, np.uint32(term)))
        if at == len(self.vocabulary) or self.vocabulary[at] != term:
            return _NOTHING
        run = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.cards[run], self.counts[run]

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def nbytes(self) -> int:
        return self.vocabulary.nbytes + self.starts.nbytes + self.cards.nbytes + self.counts.nbytes


def build(hashes: Sequence[Hashes], first: int) -> Postings:
    """Postings of consecutive cards; `first` is the position of the first of them."""
    lengths = np.fromiter((len(h) for h in hashes), np.int64, len(hashes))
    terms = np.concatenate(hashes) if len(hashes) else np.empty(0, np.uint32)
    owners = np.repeat(np.arange(first, first + len(hashes), dtype=np.int64), lengths)
    # One sortable number a posting: term above, card below; equal numbers are repeats within a card.
    keys = np.sort((terms.astype(np.uint64) << np.uint64(32)) | owners.astype(np.uint64))
    firsts = _firsts(keys)
    counts = np.diff(firsts, append=len(keys))
    return _of_sorted(keys[firsts], np.minimum(counts, 65_535).astype(np.uint16))


def merge(a: Postings, b: Postings) -> Postings:
    """One block of two."""
    keys = np.concatenate([_keys(a), _keys(b)])
    order = np.argsort(keys, kind="stable")
    return _of_sorted(keys[order], np.concatenate([a.counts, b.counts])[order])


def _keys(block: Postings) -> npt.NDArray[np.uint64]:
    terms = np.repeat(block.vocabulary, np.diff(block.starts)).astype(np.uint64)
    return np.asarray((terms << np.uint64(32)) | block.cards.astype(np.uint64))


def _of_sorted(keys: npt.NDArray[np.uint64], counts: Counts) -> Postings:
    terms = (keys >> np.uint64(32)).astype(np.uint32)
    starts = _firsts(terms)
    return Postings(
        terms[starts],
        np.append(starts, len(terms)).astype(np.int64),
        (keys & np.uint64(0xFFFFFFFF)).astype(np.int32),
        counts,
    )


def _firsts(ordered: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.int64]:
    """Where each value of a sorted array begins. As `np.unique` finds it, which sorts again and imports numpy.ma, 20 ms of a process."""
    changes = np.ones(len(ordered), np.bool_)
    changes[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(changes)
