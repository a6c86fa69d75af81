"""The linear structure: cards in the order of time, found by their words and vectors, with their neighbours in the session.

In: a snapshot, and a question's term hashes, vector, times or names. Out: features, arrays over the snapshot's line (living cards
by session and time), vectorised; `recall/fuse.py` weighs them. Every figure is of this scope alone. Source: BM25 (Robertson and
Zaragoza 2009), here over a card, over its window of five turns, and over its whole session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from zeromem.ports import Vectors
from zeromem.structures.background import Background
from zeromem.structures.snapshot import Bools, Floats, Ints, Line, Longs, Snapshot
from zeromem.text.words import hashes, terms

QUESTION = "?"  # indexed as a term of every card that ends as a question; no query holds it
K1, B, B_SESSION = 1.2, 0.5, 0.75
NEAR = (0.35, 0.15)  # what a neighbour at distance 1 and 2 counts
SCALE = 5.0  # the best card of a keyword feature gets this much, so that features are alike in every scope
PRIOR = 20  # cards that the embedder's usual cosines count as: keeps a scope of three cards sane
MAIN = 0.2  # share of the cards that makes a main speaker
_ROWWISE = hasattr(np, "vecdot")
_KEPT = 16  # terms
_FEW = 1 / 16  # share of the cards up to which only those around a term are looked at
_DAY = 86_400e6  # microseconds


def matches(snapshot: Snapshot, number: int) -> tuple[Ints, Floats]:
    """Places on the line of the cards that hold a term, and how often each does. Kept for the last few terms: the stages of a recall
    ask for the same ones; callers must not change them."""
    kept = snapshot.looked_up.get(number)
    if kept is None:
        if len(snapshot.looked_up) >= _KEPT:
            snapshot.looked_up.clear()
        kept = snapshot.looked_up[number] = _matches(snapshot, number)
    return kept


def _matches(snapshot: Snapshot, number: int) -> tuple[Ints, Floats]:
    found = [block.find(number) for block in snapshot.postings]
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    cards, counts = found[0] if len(found) == 1 else (np.concatenate(column) for column in zip(*found, strict=True))
    places, often = snapshot.line.place[cards], counts.astype(np.float32)
    living = places >= 0
    return (places, often) if living.all() else (places[living], often[living])


def holding(snapshot: Snapshot, number: int, places: npt.NDArray[np.integer]) -> Bools:
    """Which of these few places hold a term: looked up in the postings, however many cards hold it."""
    positions = snapshot.line.order[places]
    held = np.zeros(len(positions), bool)
    for block in snapshot.postings:
        cards, _ = block.find(number)
        if len(cards):
            held |= cards[np.minimum(np.searchsorted(cards, positions), len(cards) - 1)] == positions
    return held


def idf(held: int, total: int) -> float:
    return float(np.log1p((total - held + 0.5) / (held + 0.5)))


def rarity(snapshot: Snapshot, numbers: Sequence[int]) -> list[float]:
    """Inverse document frequency of each term in this scope; 0 for a term that no card holds."""
    held = [len(matches(snapshot, number)[0]) for number in numbers]
    return [idf(count, snapshot.living) if count else 0.0 for count in held]


def keyword(snapshot: Snapshot, numbers: Sequence[int]) -> dict[str, Floats]:
    """BM25 of each card, its window and its session, and `hit`: whether any term stands in the card itself."""
    line = snapshot.line
    size, groups = len(line), line.groups
    card, window = np.zeros(size, np.float32), np.zeros(size, np.float32)
    session = np.zeros(groups, np.float32)
    norm = K1 * (1 - B + B * line.length / max(float(line.length.mean()), 1e-9))
    lengths: Floats = np.add.reduceat(line.length, line.starts) if size else line.length
    session_norm: Floats = (
        K1 * (1 - B_SESSION + B_SESSION * lengths / max(float(lengths.mean()), 1e-9)) if size else lengths
    )
    for number in numbers:
        places, counts = matches(snapshot, number)
        if not len(places):
            continue
        weight = idf(len(places), size)
        tf = np.zeros(size, np.float32)
        tf[places] = counts
        if len(places) > _FEW * size:  # by passes over the whole line: they cost less than picking places out
            card += _saturated(weight, tf, norm)
            window += _saturated(weight, tf + around(line, tf), norm)
            told = np.add.reduceat(tf, line.starts)
        else:
            card[places] += _saturated(weight, counts, norm[places])
            near, wide = _reached(line, places, tf)
            window[near] += _saturated(weight, wide, norm[near])
            told = np.bincount(line.group[places], counts, groups).astype(np.float32)
        session += _saturated(idf(int(np.count_nonzero(told)), groups), told, session_norm)
    hit = (card > 0).astype(np.float32)
    return {"card": _scaled(card), "window": _scaled(window), "session": _scaled(session)[line.group], "hit": hit}


def _saturated(weight: float, tf: Floats, norm: Floats) -> Floats:
    """`weight * tf * (K1 + 1) / (tf + norm)`, with few passes over memory."""
    out = weight * tf
    out *= K1 + 1
    out /= tf + norm
    return out


def _scaled(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return np.asarray(scores * (SCALE / best), np.float32) if best > 0 else scores


def around(line: Line, scores: Floats) -> Floats:
    """What the neighbours of each card add: their scores, less by distance, within the session."""
    out = np.zeros_like(scores)
    for distance, (weight, beside) in enumerate(zip(NEAR, line.beside, strict=True), 1):
        if len(scores) > distance:
            out[distance:] += weight * beside * scores[:-distance]
            out[:-distance] += weight * beside * scores[distance:]
    return out


def _reached(line: Line, places: Ints, scores: Floats) -> tuple[Longs, Floats]:
    """`scores + around(line, scores)` where that can be above zero: at these places and two to either side."""
    size = len(scores)
    reached = np.zeros(size + 4, bool)
    for shift in range(5):
        reached[places + shift] = True
    near = np.flatnonzero(reached[2 : size + 2])
    out = scores[near]
    for distance, (weight, beside) in enumerate(zip(NEAR, line.beside, strict=True), 1):
        if size > distance:
            later = near >= distance
            out[later] += weight * beside[near[later] - distance] * scores[near[later] - distance]
            sooner = near < size - distance
            out[sooner] += weight * beside[near[sooner]] * scores[near[sooner] + distance]
    return near, out


def dense(
    snapshot: Snapshot, vector: Vectors, usual: tuple[float, float], background: Background | None
) -> dict[str, Floats]:
    """Standardised nearness of each card, its neighbours and its session's best card; `relevance` against the background.

    A card by itself counts by its fair cosine: less what it has with unrelated questions of the question's language, so that neither a
    language nor a card that is near to everything wins by that. `usual` is the embedder's mean and deviation between unrelated
    texts. A card without a vector stands at the mean, and has no relevance (NaN).
    """
    line = snapshot.line
    cosine, fair, relevance = _cosines(snapshot, vector, usual, background)
    filled, mean, spread, known = _standard(cosine, usual)
    fair_filled, fair_mean, fair_spread, _ = _standard(fair, (0.0, 1.0))
    best = np.maximum.reduceat(filled, line.starts) if len(line) else filled
    features = {
        "card": (fair_filled - fair_mean) / fair_spread,
        "near": around(line, (filled - known).astype(np.float32)) / spread,
        "session_best": (best[line.group] - mean) / spread,
        "relevance": relevance,
    }
    return {name: values.astype(np.float32) for name, values in features.items()}


def _standard(cosine: Floats, usual: tuple[float, float]) -> tuple[Floats, float, float, float]:
    """Cosines with gaps filled, their mean and deviation with the usual ones counted in, and the mean of those known."""
    known = cosine[np.isfinite(cosine)]
    mean = (float(known.sum()) + PRIOR * usual[0]) / (len(known) + PRIOR)
    spread = float(np.sqrt((((known - mean) ** 2).sum() + PRIOR * usual[1] ** 2) / (len(known) + PRIOR)))
    return np.where(np.isfinite(cosine), cosine, mean), mean, spread, float(known.mean()) if len(known) else mean


def _cosines(
    snapshot: Snapshot, vector: Vectors, usual: tuple[float, float], background: Background | None
) -> tuple[Floats, Floats, Floats]:
    """Of every card on the line: its cosine, its fair cosine (deviations) and its relevance; NaN where there is no vector."""
    line = snapshot.line
    cosine = np.full(len(line), np.nan, np.float32)
    fair = cosine.copy()
    relevance = cosine.copy()
    asked = background.question_side(vector) if background else None
    for block in snapshot.vectors:
        places = line.place[block.cards]
        living = places >= 0
        found = products(block.matrix, vector)
        if asked is None or background is None:
            own = (found - usual[0]) / usual[1]
            above = 2 * own
        else:
            group, means, deviations = asked
            own = (found - block.level[:, group]) / background.spread[group]
            above = (found - means[block.group]) / deviations[block.group] + own
        if not living.all():
            places, found, own, above = places[living], found[living], own[living], above[living]
        cosine[places], fair[places], relevance[places] = found, own, above
    return cosine, fair, relevance


def products(matrix: Vectors, vector: Vectors) -> Floats:
    """The product of each row with a vector, on this thread: BLAS hands a whole matrix to threads that spin, 20 times slower on a busy
    machine. Row by row it reads memory a quarter faster than einsum, which numpy before 2.0 has to use."""
    return np.asarray(np.vecdot(matrix, vector) if _ROWWISE else np.einsum("ij,j->i", matrix, vector), np.float32)


def near_times(line: Line, spans: Sequence[tuple[int, int]]) -> Floats:
    """1 for a card said within one of the spans (microseconds), falling with the days before (fast) and after (slowly)."""
    out = np.zeros(len(line), np.float32)
    for start, end in spans:
        late = np.maximum(0, line.at - end) / (10 * _DAY)
        early = np.maximum(0, start - line.at) / (2 * _DAY)
        out = np.maximum(out, np.exp(-(late + early)).astype(np.float32))
    return out


def shape(snapshot: Snapshot, asked: Sequence[str]) -> dict[str, Floats]:
    """What a card is like whatever the question: length, a question itself, said by a person, by someone the question names."""
    line = snapshot.line
    question = np.zeros(len(line), np.float32)
    question[matches(snapshot, int(hashes([QUESTION])[0]))[0]] = 1.0
    return {
        "length": np.log1p(np.minimum(line.content, 20)).astype(np.float32),
        "question": question,
        "person": line.answers,
        "named": _named(line, snapshot.names, set(asked)),
    }


def main_speakers(snapshot: Snapshot) -> set[str]:
    """First names of those who hold a fifth of the cards: in a text such a name tells who is spoken to, not what of."""
    counts = np.bincount(snapshot.line.speaker, minlength=1) if len(snapshot.line) else np.zeros(1)
    codes = {int(code) for code in np.flatnonzero(counts >= MAIN * max(1, len(snapshot.line)))}
    return {
        term
        for name, code in snapshot.names.items()
        if code in codes and name not in _ROLES
        for term in _first_name(name)
    }


def _named(line: Line, names: Mapping[str, int], asked: set[str]) -> Floats:
    codes = [
        code for name, code in names.items() if name not in _ROLES and _first_name(name) and _first_name(name) <= asked
    ]
    share = 1.0 / len(codes) if codes else 0.0
    return np.where(np.isin(line.speaker, codes), share, 0.0).astype(np.float32)


_ROLES = ("user", "assistant", "tool", "document", "message", "system", "memory")


@lru_cache(maxsize=4096)
def _first_name(name: str) -> frozenset[str]:
    first = name.split()
    return frozenset(terms(first[0]) if first else ())
